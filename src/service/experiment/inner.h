/* What files of this room share. */
#ifndef SOTTO_SERVICE_EXPERIMENT_INNER_H
#define SOTTO_SERVICE_EXPERIMENT_INNER_H

#include "experiment.h"
#include "service/fold/fold.h"
#include "service/system/system.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- pace ----------------------------------------------------------------------------------- */

/*
 * When epochs began, in a file beside the journal, so that a restart does not reset the age of an epoch. One entry per
 * experiment, overwritten at each publish; it says nothing about reports. If an entry is lost or unusable, the epoch
 * lasts epoch_seconds_min from the start of the service. */

typedef struct sottod_pace sottod_pace;

/* A moment. The steady clock counts from the start of the machine, identified by `boot` (0: unknown). */
typedef struct pace_time {
    uint64_t boot;
    uint64_t steady_ms;
    uint64_t wall_s;
} pace_time;

/* Makes the file if needed. NULL: impossible, or no memory. */
sottod_pace *pace_open(const char *path);
void pace_close(sottod_pace *pace); /* NULL is allowed */

/* This epoch of experiment 1, 2, … began now. Written to the file before it returns, and to the disk some time later. */
void pace_note(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now);
/* How many milliseconds the epoch has lasted; false: unknown. Uses the steady clock, which does not jump; after a
 * restart of the machine the wall clock; unknown if that was set back. */
bool pace_lasted(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now,
                 uint64_t *ms);

/* ---- parts ---------------------------------------------------------------------------------- */

/* The parts of a service's experiments. */

#define EXPERIMENT_NEVER_MS UINT64_MAX
#define EXPERIMENTS_NAMED_MAX 256u
#define EXPERIMENT_LABELS_BYTES_MAX 16384u
#define EXPERIMENT_SECONDS_MAX 31536000u /* one year, as in terms */

/* The rows of an experiment. */
typedef struct experiment_rows {
    uint64_t last;          /* 0: none */
    uint64_t snapshot;      /* rows up to this one are in a snapshot; 0: there is none */
    uint64_t unsaved_bytes; /* size of the frames after the snapshot */
    bool overdue;           /* the snapshot may contain rows that are no longer needed */
} experiment_rows;

/* Frames that this process stored. */
typedef struct experiment_copies experiment_copies;

/* The large part, absent once an experiment is deleted. Deleted ones stay in memory forever and must be small. */
typedef struct experiment_life {
    char *origins;
    experiment_access access;
    uint8_t terms_bytes[SOTTO_TERMS_BYTES];
    experiment_rows rows;
} experiment_life;

typedef struct experiment_packed {
    bool tried;
    uint32_t epoch;
    size_t bytes; /* 0: compression does not make it shorter */
    uint8_t *at;
} experiment_packed;

struct sottod_experiment {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    uint64_t created_minute;
    uint64_t mark;   /* of its row, when last read or added */
    uint32_t newest; /* shared journal: the epoch of its newest model, when last read */
    /* closed experiment: the counts include what came after the last publish; a row of `ended` may still come */
    bool ended, will_end;
    bool unusable; /* its newest model could not be used, which is in the log */
    uint32_t unusable_epoch;
    uint64_t unusable_ms; /* when it was last tried */
    /* none of its models could be read since it is known here, so the known state is too old to be used */
    bool blind;
    /* shared journal: frames that this process stored since the last known publish */
    uint64_t waiting;
    uint64_t looks; /* how often the publisher had looked at them, when last read */

    /* shared journal: reports in no model, of all gateways, when last asked; otherwise 0 */
    uint64_t unfolded;
    bool knows_unfolded; /* `unfolded` is known */

    /* From here to model_bytes: NULL and 0 if it is deleted. Nonces are also NULL if it is closed: it accepts no more
     * reports. */
    epoch_engine *engine;
    experiment_life *life;
    char *labels;
    size_t terms_bytes_count;
    /* as devices fetch it; also NULL if it contains numbers that no device would accept */
    uint8_t *model;
    size_t model_bytes;
    experiment_packed packed;  /* the same, compressed */
    sotto_report *report;      /* scratch for one frame */
    experiment_copies *copies; /* shared journal; NULL: none are known */

    uint64_t ready_ms; /* since when only the backlog delays the publish */
    uint64_t snapshot_ms;
    bool received;        /* something for it arrived since the last check */
    uint32_t quiet_turns; /* turns without arrivals, if it is ready */
    bool touched;         /* in the list of experiments that may be ready */
    bool removing;        /* in the list of experiments with rows to remove */
    uint32_t slot;        /* in the intake's group, from 1 on; 0: none */
};

/* The kind of service; see below. */
typedef struct service_kind service_kind;

struct sottod_experiments {
    sottod_journal *journal;
    const service_kind *kind;
    sottod_log *log;
    experiments_settings settings;
    sottod_fold *fold;
    watch_totals totals;
    sottod_pace *pace;         /* NULL: a restart resets the age of epochs */
    uint64_t boot;             /* clock_boot */
    sottod_experiment **every; /* by number, including deleted ones */
    uint32_t every_count, every_capacity;
    sottod_experiment **live; /* those that are not deleted */
    uint32_t live_count;
    sottod_experiment **table; /* by id: open addressing, at most half full */
    uint32_t table_mask;
    sottod_experiment **touched;
    uint32_t touched_count;
    sottod_experiment **removing; /* those with superfluous rows: each turn removes a slice */
    uint32_t removing_count;
    size_t body_bytes_max; /* the maximum over all experiments so far */

    uint64_t ready_ms;  /* the earliest of all experiments, or earlier */
    uint64_t keep_ms;   /* when the next periodic snapshot is due */
    uint32_t keep_next; /* which experiment is looked at first, modulo live_count */
    uint64_t tidy_ms;   /* when old history is thinned next */
    bool untidy;        /* the last tidying was not finished, or something was deleted since */
    uint64_t scrub_ms;  /* the earliest time of the next scrub */
    bool scrub;         /* something was removed since the last scrub */
    bool failed;        /* the journal refused what the last epochs_turn wanted */
    uint64_t publishes, publishes_in_backlog;

    /* For a shared journal. */
    bool stale; /* another process changed something since the last reading */
    /* announced to have a new model, with nothing else changed */
    uint32_t named[EXPERIMENTS_NAMED_MAX];
    uint32_t named_count;
    uint64_t refreshed_ms; /* when the last reading began, successful or not; steady clock */
    uint64_t second_ms;    /* when the current second of counting readings began */
    uint32_t readings;     /* in that second */
    uint64_t caught_ms;    /* the same for readings on demand */
    uint32_t caught;
    uint64_t waiting_ms;   /* no query for waiting reports before this time */
    uint32_t waiting_next; /* the first experiment of the next such query */
    damaged_list damaged;  /* found in the last reading of all */
    bool has_unusable;     /* some newest model cannot be used */
    uint64_t all_read_ms;  /* when all were last read */
};

/* ---- one: experiment.c */

/* From its row, without reports. NULL: `fault` says why. Has nonces if its reports are folded here. */
sottod_experiment *experiment_new(const sottod_experiments *all, const journal_experiment *row,
                                  uint64_t now_ms, sotto_fault *fault);
void experiment_free(sottod_experiment *experiment);
/* Frees everything that a deleted experiment does not have. */
void experiment_empty(sottod_experiment *experiment);
/* Encodes the learner's model. False if it contains numbers that no device would accept: then there are no bytes, and
 * epochs_turn closes the experiment. */
bool experiment_encode_model(sottod_experiment *experiment);

/* ---- all: experiments.c */

/* Adds one from its row; its reports are not recovered yet. */
SOTTO_CHECK sotto_status experiments_take(sottod_experiments *all, const journal_experiment *row,
                                          uint64_t now_ms, sotto_fault *fault);
/* Makes room for one more, so that experiments_insert cannot fail. */
bool experiments_reserve(sottod_experiments *all);
void experiments_insert(sottod_experiments *all, sottod_experiment *experiment);
void experiments_forget(sottod_experiments *all, const sottod_experiment *experiment);
/* The journal refused a change; its fault becomes *why. Always false. */
bool experiments_refuse(const sottod_experiments *all, sottod_refusal *why);
/* Logs what happened to an experiment. `name` may be NULL. */
void experiments_log(const sottod_experiments *all, log_level level, const char *event,
                     const sottod_experiment *experiment, const char *name, uint64_t number);

/* ---- epochs.c */

/* Its epoch began now. */
void experiment_begin_epoch(sottod_experiments *all, sottod_experiment *experiment,
                            uint64_t now_ms);
/* After a restart: the age of the epoch continues, if it is known. */
void experiment_resume_epoch(sottod_experiments *all, sottod_experiment *experiment,
                             uint64_t now_ms);

/* ---- keep.c: counts an added row with so many bytes of frames */
void experiment_rows_add(experiment_rows *rows, uint64_t seq, size_t frames_bytes);

/* ---- recover.c: restores all experiments from the rows of the journal */
SOTTO_CHECK sotto_status recover_rows(sottod_experiments *all, sotto_fault *fault);

/* ---- epochs.c: takes over a state that is durable */
void experiment_become(sottod_experiments *all, sottod_experiment *experiment, journal_state state);

/* ---- access.c */

/* Takes labels and access from the row. False, with nothing changed: no memory, or the row cannot be read. */
bool experiment_take_access(sottod_experiment *experiment, const journal_experiment *row);
/* The labels (NULL: none) followed by the access text, as a row has them; from malloc, or NULL. */
char *experiment_access_text(const char *labels, const experiment_access *access);

/* ---- alone.c: EPOCH_AWAY: the journal failed; nothing changed, or the experiment is not closed yet */
epoch_outcome experiment_publish(sottod_experiments *all, sottod_experiment *experiment,
                                 uint64_t now_ms, uint64_t minute);

/* ---- keep.c: false: the journal failed, and nothing changed */
bool experiment_keep(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms);
/* After a publish: whether the frames since the last snapshot weigh much more than the snapshot. */
bool experiment_is_heavy(const sottod_experiment *experiment);
/* Has the house overwrite traces of what was removed; of service_kind. */
void experiments_overwrite_removed(sottod_experiments *all);
/* In a transaction: removes the first slice of superfluous rows, given that this is the oldest open epoch. */
typedef struct experiment_slice {
    uint64_t to; /* its last row; 0: nothing to remove */
    bool more;
} experiment_slice;
bool experiment_remove_slice(sottod_experiments *all, const sottod_experiment *experiment,
                             uint64_t oldest_open, experiment_slice *slice);
/* The removal is durable. The rest follows, one slice per turn. */
void experiment_slice_removed(sottod_experiments *all, sottod_experiment *experiment,
                              const experiment_slice *slice);
/* Periodic snapshots, thinning of history, and overwriting traces of removed rows. */
bool experiments_keep_house(sottod_experiments *all, uint64_t now_ms, uint64_t minute);
uint64_t experiments_house_ms(const sottod_experiments *all);

/* ---- copies --------------------------------------------------------------------------------- */

/*
 * Frames that a gateway has stored, so that a copy costs a counter and no row. A frame is a copy if all its bytes equal
 * those of a frame that is durable or in the same group. Different frames with the same nonce are stored, each once,
 * because the publisher decides which of them counts.
 *
 * The memory need not be complete: what does not fit is forgotten, and the publisher finds the copies. */

#define COPIES_MAX (UINT32_C(1) << 20) /* known frames of one experiment */

/* Before frames are checked: makes room for so many more and forgets epochs that have ended. Forgets everything after
 * a new session of the journal, which may have lost frames. */
void copies_prepare(sottod_experiment *experiment, uint64_t session, uint64_t frames);
/* True: it is a copy. False: it was unknown and is now known. The frame belongs to an open epoch. */
bool copies_has(const sottod_experiment *experiment, const uint8_t *frame);
/* The frame did not become durable. Forget from the last one on, where a set finds them first. */
void copies_forget(const sottod_experiment *experiment, const uint8_t *frame);
void copies_free(experiment_copies *copies);

/* ---- group ---------------------------------------------------------------------------------- */

/* The frames of one group commit: those of each experiment together, sorted by nonce. */

/* A frame; the array is in order of arrival. */
typedef struct group_frame {
    uint64_t key;  /* the first 8 bytes of its nonce, big-endian */
    uint32_t at;   /* its position */
    uint32_t slot; /* its experiment's slot */
} group_frame;

/* A group's row for one experiment. */
typedef struct group_slot {
    sottod_experiment *experiment; /* it may be deleted meanwhile */
    size_t frame_bytes;
    uint32_t frames;
    uint32_t epoch; /* the newest of its frames; 0 if it has none */
    journal_counts counts;
    uint32_t first;       /* index among the sorted frames */
    journal_bytes sorted; /* after group_sort */
    uint64_t seq;         /* of its row, once written */
} group_slot;

typedef struct sottod_group {
    uint8_t *bytes, *sorted;
    size_t used, capacity;
    group_frame *frame; /* in order of arrival */
    group_frame *order, *spare;
    uint32_t frames;
    group_slot *slot;
    uint32_t slots, slots_capacity;
} sottod_group;

#define GROUP_BYTES_MAX (UINT32_C(1) << 31)

/* Makes room for so many bytes of frames and drops the content. False: no memory, and no room. */
bool group_make(sottod_group *group, size_t bytes);
void group_free(sottod_group *group);

/* The slot of an experiment, made if needed; NULL: no memory. Valid until the next call. */
group_slot *group_slot_of(sottod_group *group, sottod_experiment *experiment);
/* Adds a frame; there must be room. Frames of the same nonce stay in order of arrival. */
void group_add(sottod_group *group, group_slot *slot, const uint8_t *frame, uint32_t epoch);
/* Takes back the last frame. */
void group_drop(sottod_group *group);
/* Takes back the last slot made, which must have no frame. */
void group_drop_slot(sottod_group *group);

/* Fills `sorted` of each slot. */
void group_sort(sottod_group *group);
/* Makes it empty. */
void group_clear(sottod_group *group);

/* ---- kinds of service ------------------------------------------------------------------------ */

/* The difference between a service with its own journal and a gateway, which accepts reports for the publisher of a
 * shared journal. */
struct service_kind {
    /* At startup: reads all experiments from the journal. */
    sotto_status (*recover)(sottod_experiments *all, sotto_fault *fault);
    /* Ends epochs that are due; a gateway instead reads which epochs ended and what else changed. False: the journal
     * failed. */
    bool (*turn)(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
    /* Milliseconds until the next reading of others' changes; EXPERIMENT_NEVER_MS: only when notified. */
    uint64_t (*wait_ms)(const sottod_experiments *all, uint64_t now_ms);
    /* A request needs something unknown here, about one experiment or (NULL) any. True: others' changes were just read.
     * False: nothing new is known; *why, unless NULL, says so if it may become known. */
    bool (*catch_up)(sottod_experiments *all, const sottod_experiment *only, sottod_refusal *why);
    /* Completes an experiment that is otherwise made, deleted ones included. False: no memory, or no randomness. */
    bool (*begin)(sottod_experiment *experiment);
    /* The experiment may be ready to publish: the next turn checks it, if epochs end here. */
    void (*touch)(sottod_experiments *all, sottod_experiment *experiment);
    /* Makes room to remember so many more frames. False: there is none. */
    bool (*reserve)(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames);
    /* Whether a valid frame is stored; if not, it is only counted. Anything but SOTTO_OK: no room for it. */
    sotto_status (*sort)(const sottod_experiments *all, group_slot *slot, const uint8_t *frame,
                         bool *is_new);
    /* The row of an experiment is durable, and the experiment is not deleted. */
    void (*settle)(sottod_experiments *all, const group_slot *slot);
    /* Makes durable that the fallback ends with the open epoch. *done is false if that epoch is held. False: the
     * journal failed, and nothing changed. */
    bool (*end_fallback)(sottod_experiments *all, sottod_experiment *experiment, bool *done);
    /* Something was removed from the journal: what is left of it in files must be overwritten. */
    void (*overwrite_removed)(sottod_experiments *all);
    uint32_t counts_wait_ms; /* intake_gathers_ms */
};

extern const service_kind service_alone, service_gateway;

#endif
