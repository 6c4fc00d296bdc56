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
 * When epochs began, in a file beside the journal, so that a restart keeps the time that an epoch has lasted. One
 * entry per experiment, overwritten at each publish; it says nothing of reports. What is lost or cannot be used costs
 * time: the epoch then lasts epoch_seconds_min from the start of the service.
 */

typedef struct sottod_pace sottod_pace;

/* A moment. The steady clock counts from the start of the machine, which `boot` names (0: not known). */
typedef struct pace_time {
    uint64_t boot;
    uint64_t steady_ms;
    uint64_t wall_s;
} pace_time;

/* Makes the file if it is not there. NULL: it cannot be had, or there is no memory. */
sottod_pace *pace_open(const char *path);
void pace_close(sottod_pace *pace); /* NULL is allowed */

/* This epoch of experiment 1, 2, … began now. In the file when it returns, and on the disk some time later. */
void pace_note(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now);
/* For how many milliseconds it has lasted; false: that is not known. By the steady clock, which does not jump; after a
 * restart of the machine by the wall clock, and if that was set back it is not known. */
bool pace_lasted(sottod_pace *pace, uint32_t experiment, uint32_t epoch, const pace_time *now,
                 uint64_t *ms);

/* ---- parts ---------------------------------------------------------------------------------- */

/* What the experiments of a service are made of. */

#define EXPERIMENT_NEVER_MS UINT64_MAX
#define EXPERIMENTS_NAMED_MAX 256u
#define EXPERIMENT_LABELS_BYTES_MAX 16384u
#define EXPERIMENT_SECONDS_MAX 31536000u /* a year, as in terms */

/* The rows of an experiment. */
typedef struct experiment_rows {
    uint64_t last;          /* 0: there is none */
    uint64_t snapshot;      /* all up to this one are in a snapshot; 0: there is none */
    uint64_t unsaved_bytes; /* of the frames of those after it */
    bool overdue;           /* some of those that are in it may be needed by nobody */
} experiment_rows;

/* Frames that were written down here: inner.h. */
typedef struct experiment_copies experiment_copies;

/* What is large, and of one that is not deleted. Deleted ones stay in memory for good: they must be small. */
typedef struct experiment_life {
    char *origins; /* those of: */
    experiment_access access;
    uint8_t terms_bytes[SOTTO_TERMS_BYTES];
    experiment_rows rows;
} experiment_life;

typedef struct experiment_packed {
    bool tried;
    uint32_t epoch;
    size_t bytes; /* 0: it is no shorter */
    uint8_t *at;
} experiment_packed;

struct sottod_experiment {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    uint64_t created_minute;
    uint64_t mark;   /* of its row, as was read or added last */
    uint32_t newest; /* of a shared journal: the epoch of its newest model, as was read last */
    bool ended,
        will_end;  /* of a closed one: the counts have what came after the last publish; can have */
    bool unusable; /* that one could not be used, which was said */
    uint32_t unusable_epoch;
    uint64_t unusable_ms; /* when it was tried last */
    bool
        blind; /* none of its models could be read since it is known here: what is there is too old to be used */
    uint64_t
        waiting;    /* of a shared journal: frames written down here since the last publish known */
    uint64_t looks; /* of the publisher at them, as heard of last */

    uint64_t
        unfolded; /* of a shared journal: reports in no model, of all gateways, as asked last; else 0 */
    bool knows_unfolded; /* that is known */

    /* NULL and 0 if it is deleted. */
    epoch_engine
        *engine; /* its nonces are NULL also if it is closed: it takes no report any more */
    experiment_life *life;
    char *labels;
    size_t terms_bytes_count;
    uint8_t *model; /* as devices fetch it; NULL also if it has numbers that no device would take */
    size_t model_bytes;
    experiment_packed packed;  /* the same, compressed */
    sotto_report *report;      /* scratch for a frame */
    experiment_copies *copies; /* of a shared journal; NULL: none are known */

    uint64_t ready_ms; /* since when only the backlog is in the way of a publish */
    uint64_t snapshot_ms;
    bool received;        /* something of it came since it was last looked at */
    uint32_t quiet_turns; /* in which nothing did, of one that is ready */
    bool touched;         /* is in the list of those that may be ready */
    bool removing;        /* is in the list of those with rows to remove */
    uint32_t slot;        /* in the group of the intake, from 1 on; 0: not in it */
};

/* A kind of service: below. */
typedef struct service_kind service_kind;

struct sottod_experiments {
    sottod_journal *journal;
    const service_kind *kind;
    sottod_log *log;
    experiments_settings settings;
    sottod_fold *fold;
    watch_totals totals;
    sottod_pace *pace;         /* NULL: a restart begins the time of epochs anew */
    uint64_t boot;             /* clock_boot */
    sottod_experiment **every; /* by number, deleted ones included */
    uint32_t every_count, every_capacity;
    sottod_experiment **live; /* those of them that are not deleted */
    uint32_t live_count;
    sottod_experiment **table; /* by id: open addresses, at most half full */
    uint32_t table_mask;
    sottod_experiment **touched;
    uint32_t touched_count;
    sottod_experiment **removing; /* those with rows that nobody needs: a slice goes in each turn */
    uint32_t removing_count;
    size_t body_bytes_max; /* of all experiments so far */

    uint64_t ready_ms; /* the least of all experiments, or earlier */
    uint64_t keep_ms;  /* when the next snapshot by time is due */
    uint64_t tidy_ms;  /* when old history is thinned next */
    bool untidy;       /* and when it was last, or something was deleted, not all was done */
    uint64_t scrub_ms; /* the earliest time of the next scrub */
    bool scrub;        /* something was removed since the last */
    bool failed;       /* the journal refused what epochs_turn wanted last */
    uint64_t publishes, publishes_in_backlog;

    /* Of a shared journal. */
    bool stale; /* another process changed something since it was read last */
    uint32_t
        named[EXPERIMENTS_NAMED_MAX]; /* these have a new model; nothing else of them changed */
    uint32_t named_count;
    uint64_t refreshed_ms; /* when it was, or was tried; of the steady clock */
    uint64_t second_ms;    /* when the present second of readings began */
    uint32_t readings;     /* in it */
    uint64_t caught_ms;    /* the same of what was asked for at once */
    uint32_t caught;
    uint64_t waiting_ms;   /* before it nobody asks again what waits */
    uint32_t waiting_next; /* the first of those that are asked for next */
    damaged_list damaged;  /* as all experiments were read last */
    bool has_unusable;     /* there is a newest model that cannot be used */
    uint64_t all_read_ms;  /* when that was */
};

/* ---- one: experiment.c */

/* As the row has it: without reports. NULL: `fault` says why. Nonces are made if its reports are folded here. */
sottod_experiment *experiment_new(const sottod_experiments *all, const journal_experiment *row,
                                  uint64_t now_ms, sotto_fault *fault);
void experiment_free(sottod_experiment *experiment);
/* Lets go of all that a deleted one does not have. */
void experiment_empty(sottod_experiment *experiment);
/* The learner's model as bytes. False if it has numbers that no device would take: then there are none, and
 * epochs_turn closes the experiment. */
bool experiment_encode_model(sottod_experiment *experiment);

/* ---- all: experiments.c */

/* One more as the journal has it; it is not recovered yet. */
SOTTO_CHECK sotto_status experiments_take(sottod_experiments *all, const journal_experiment *row,
                                          uint64_t now_ms, sotto_fault *fault);
/* Makes room for one more, so that experiments_insert cannot fail. */
bool experiments_reserve(sottod_experiments *all);
void experiments_insert(sottod_experiments *all, sottod_experiment *experiment);
void experiments_forget(sottod_experiments *all, const sottod_experiment *experiment);
/* It may be ready to publish: epochs_turn looks at it. */
void experiments_touch(sottod_experiments *all, sottod_experiment *experiment);
/* The journal refused a change, and says why. Always false. */
bool experiments_refuse(const sottod_experiments *all, sottod_refusal *why);
/* What happened to an experiment, in the log. `name` may be NULL. */
void experiments_log(const sottod_experiments *all, log_level level, const char *event,
                     const sottod_experiment *experiment, const char *name, uint64_t number);

/* ---- epochs.c */

/* The epoch began now. */
void experiment_begin_epoch(sottod_experiments *all, sottod_experiment *experiment,
                            uint64_t now_ms);
/* A restart does not reset it: the time so far counts, as far as it is known. */
void experiment_resume_epoch(sottod_experiments *all, sottod_experiment *experiment,
                             uint64_t now_ms);

/* ---- keep.c: a row was added, with so many bytes of frames */
void experiment_rows_add(experiment_rows *rows, uint64_t seq, size_t frames_bytes);

/* ---- recover.c: all experiments, with state and counts, from the rows of the journal */
SOTTO_CHECK sotto_status recover_rows(sottod_experiments *all, sotto_fault *fault);

/* ---- epochs.c: another state, which is durable */
void experiment_become(sottod_experiments *all, sottod_experiment *experiment, journal_state state);

/* ---- access.c */

/* Labels and who may send reports, as the row has them, in place of what is known. False, and nothing changed: no
 * memory, or the row cannot be read. */
bool experiment_take_access(sottod_experiment *experiment, const journal_experiment *row);
/* The labels, NULL for none, as a row has them, with all that stands behind them; from malloc, or NULL. */
char *experiment_access_text(const char *labels, const experiment_access *access);

/* ---- alone.c: EPOCH_AWAY if the journal failed; then nothing happened, or it is not closed yet */
epoch_outcome experiment_publish(sottod_experiments *all, sottod_experiment *experiment,
                                 uint64_t now_ms, uint64_t minute);

/* ---- keep.c: false if the journal failed, and nothing happened */
bool experiment_keep(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms);
bool experiment_wants_keeping(const sottod_experiment *experiment, bool keep_reports);
/* After a publish: what came since the last snapshot weighs more than the snapshot does. */
bool experiment_is_heavy(const sottod_experiment *experiment);
/* Something was removed: what is left of it is overwritten, here or by a publisher. */
void experiments_note_removal(sottod_experiments *all);
/* In a transaction: removes the first slice of the rows that nobody needs if this is the oldest open epoch. */
typedef struct experiment_slice {
    uint64_t to; /* its last row; 0: there is none */
    bool more;
} experiment_slice;
bool experiment_remove_slice(sottod_experiments *all, const sottod_experiment *experiment,
                             uint64_t oldest_open, experiment_slice *slice);
/* It is durable. The rest follows, a slice in each turn. */
void experiment_slice_removed(sottod_experiments *all, sottod_experiment *experiment,
                              const experiment_slice *slice);
/* Snapshots by time, thinner history, and what is left of removed rows. */
bool experiments_keep_house(sottod_experiments *all, uint64_t now_ms, uint64_t minute);
uint64_t experiments_house_ms(const sottod_experiments *all);

/* ---- copies --------------------------------------------------------------------------------- */

/*
 * Frames that a gateway stored, so that a copy of one costs a counter and no row. A frame is a copy if all its
 * bytes are those of one that is durable, or in the same group: frames of one nonce that differ are written down,
 * each once, because the publisher decides which of them counts.
 *
 * It need not be complete: what does not fit is forgotten, and the publisher finds the copies.
 */

#define COPIES_MAX (UINT32_C(1) << 20) /* frames that are known of one experiment */

/* Before frames are looked at: room for so many more, and epochs that ended are forgotten. So is all of another
 * session of the journal, which may have lost it. */
void copies_prepare(sottod_experiment *experiment, uint64_t session, uint64_t frames);
/* True: it is a copy. False: it is not known, and is now. The frame is of an open epoch. */
bool copies_has(const sottod_experiment *experiment, const uint8_t *frame);
/* It did not become durable. From the last one on, where a set finds them first. */
void copies_forget(const sottod_experiment *experiment, const uint8_t *frame);
void copies_free(experiment_copies *copies);

/* ---- group ---------------------------------------------------------------------------------- */

/* The frames of one group commit: those of each experiment together, sorted by nonce. */

/* A frame, in the order in which they came. */
typedef struct group_frame {
    uint64_t key;  /* the first 8 bytes of its nonce, the first one highest */
    uint32_t at;   /* where it lies */
    uint32_t slot; /* whose it is */
} group_frame;

/* What a group has of one experiment: its row. */
typedef struct group_slot {
    sottod_experiment *experiment; /* it may be deleted meanwhile */
    size_t frame_bytes;
    uint32_t frames;
    uint32_t epoch; /* the newest of its frames; 0 if there is none */
    journal_counts counts;
    uint32_t first;       /* among the sorted frames */
    journal_bytes sorted; /* after group_sort */
    uint64_t seq;         /* of its row, once that is written */
} group_slot;

typedef struct sottod_group {
    uint8_t *bytes, *sorted;
    size_t used, capacity;
    group_frame *frame; /* as they came */
    group_frame *order, *spare;
    uint32_t frames;
    group_slot *slot;
    uint32_t slots, slots_capacity;
} sottod_group;

#define GROUP_BYTES_MAX (UINT32_C(1) << 31)

/* Room for so many bytes of frames; what was in it is gone. False: no memory, and there is no room. */
bool group_make(sottod_group *group, size_t bytes);
void group_free(sottod_group *group);

/* The slot of an experiment, made if need be; NULL: no memory. Valid until the next call. */
group_slot *group_slot_of(sottod_group *group, sottod_experiment *experiment);
/* Adds a frame. There is room. Frames of the same nonce stay in the order in which they came. */
void group_add(sottod_group *group, group_slot *slot, const uint8_t *frame, uint32_t epoch);
/* Takes back the last frame. */
void group_drop(sottod_group *group);
/* Takes back the last slot that was made; it has no frame. */
void group_drop_slot(sottod_group *group);

/* Fills `sorted` of each slot. */
void group_sort(sottod_group *group);
/* Empty again. */
void group_clear(sottod_group *group);

/* ---- kinds of service ------------------------------------------------------------------------ */

/* What differs between a service that is alone with its journal, and a gateway, which accepts reports for the publisher
 * of a journal that several processes share. */
struct service_kind {
    bool publishes; /* what is accepted is folded and published here, and none of it waits */
    /* At the start: all experiments as the journal has them. */
    sotto_status (*recover)(sottod_experiments *all, sotto_fault *fault);
    /* Ends epochs that are due, or reads which ended, and what else others changed. False: the journal failed. */
    bool (*turn)(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
    /* Milliseconds until others are to be read; EXPERIMENT_NEVER_MS: until somebody says so. */
    uint64_t (*wait_ms)(const sottod_experiments *all, uint64_t now_ms);
    /* Something is asked for that is not known here, of one experiment or (NULL) of any. True: what others changed was
     * read just now. */
    bool (*catch_up)(sottod_experiments *all, const sottod_experiment *only);
    /* Room for what is known of so many more frames. False: there is none. */
    bool (*reserve)(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames);
    /* Of a valid frame: whether it is to be written down; if not, it is counted. Anything but SOTTO_OK: there is no room
     * for it. */
    sotto_status (*sort)(const sottod_experiments *all, group_slot *slot, const uint8_t *frame,
                         bool *is_new);
    /* The row of an experiment that is not deleted is durable. */
    void (*settle)(sottod_experiments *all, const group_slot *slot);
    /* Makes durable that the fallback ends with the open epoch. *done is false if that is held. False: the journal
     * failed, and nothing is changed. */
    bool (*end_fallback)(sottod_experiments *all, sottod_experiment *experiment, bool *done);
};

extern const service_kind service_alone, service_gateway;

#endif
