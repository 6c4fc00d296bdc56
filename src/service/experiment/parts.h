/* What the experiments of a service are made of. */
#ifndef SERVICE_EXPERIMENT_PARTS_H
#define SERVICE_EXPERIMENT_PARTS_H

#include "damaged.h"
#include "epochs.h"
#include "hold.h"
#include "service/fold/fold.h"
#include "service/system/spec_id.h"
#include "told.h"

#define EXPERIMENT_OPEN_EPOCHS_MAX                                                                 \
    17u /* the largest epoch_lag_max of a spec, and the current one */
#define EXPERIMENT_NEVER_MS UINT64_MAX
#define EXPERIMENT_LABELS_BYTES_MAX 16384u
#define EXPERIMENT_SECONDS_MAX 31536000u /* a year, as in terms */

/* The rows of an experiment: which may be removed, and which are in a snapshot. */
typedef struct experiment_rows {
    uint64_t oldest; /* 0: there is none */
    uint64_t last;
    uint64_t snapshot;      /* all up to this one are in a snapshot; 0: there is none */
    uint64_t unsaved;       /* the first one after it; 0: there is none */
    uint64_t unsaved_bytes; /* of their frames */
    struct {
        uint32_t epoch;
        uint64_t seq; /* the first row whose newest frame is of this epoch; 0: none */
    } first[EXPERIMENT_OPEN_EPOCHS_MAX]; /* open epochs, at epoch mod their number */
} experiment_rows;

/* What is large, and of one that is not deleted. Deleted ones stay in memory for good: they must be small. */
typedef struct experiment_life {
    bool has_report_key;
    uint8_t report_key[JOURNAL_DIGEST_BYTES];
    uint8_t terms_bytes[SOTTO_TERMS_BYTES];
    journal_counts counts;    /* since it began */
    journal_counts published; /* as they were at the last publish */
    experiment_told told;
    experiment_hold hold;
    experiment_rows rows;
    double age; /* of the reports of the last publish, in epochs; NAN: none since the start */
} experiment_life;

struct sottod_experiment {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char id_text[SPEC_ID_TEXT_BYTES];
    journal_state state;
    uint64_t created_minute;
    uint32_t epoch_seconds_min;
    uint64_t epoch_reports_min;
    uint32_t newest; /* of a shared journal: the epoch of its newest model, as was read last */
    bool ended,
        will_end;  /* of a closed one: the counts have what came after the last publish; can have */
    bool unusable; /* that one could not be used, which was said */
    uint32_t unusable_epoch;
    uint64_t unusable_ms; /* when it was tried last */
    bool
        blind; /* none of its models could be read since it is known here: what is there is too old to be used */
    uint64_t
        waiting; /* of a shared journal: frames written down here since the last publish known */

    uint64_t
        unfolded; /* of a shared journal: reports in no model, of all gateways, as asked last; else 0 */
    bool knows_unfolded; /* that is known */

    /* NULL and 0 if it is deleted. */
    experiment_life *life;
    char *labels;
    sotto_terms *terms;
    size_t terms_bytes_count;
    size_t frame_bytes;
    sotto_learner *learner;
    uint8_t *model; /* as devices fetch it; NULL also if it has numbers that no device would take */
    size_t model_bytes;
    sotto_report *report;    /* scratch for a frame */
    sotto_nonce_set *nonces; /* NULL also if it is closed: it takes no report any more */

    uint64_t published_ms; /* or when it was made, or when the service started */
    uint64_t ready_ms;     /* since when only the backlog is in the way of a publish */
    uint64_t snapshot_ms;
    bool touched;  /* is in the list of those that may be ready */
    uint32_t slot; /* in the group of the intake, from 1 on; 0: not in it */
};

/* What differs between a service that is alone with its journal (epochs.c) and one of several that share
 * it (refresh.c). */
typedef struct experiments_mode {
    bool has_nonces;
    /* State and counts of one that was just made, from the journal. */
    bool (*recover)(sottod_journal *journal, sottod_experiment *experiment,
                    char fault[JOURNAL_FAULT_BYTES]);
    /* As the functions of epochs.h. */
    bool (*turn)(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
    int (*timeout_ms)(const sottod_experiments *all, uint64_t now_ms);
    bool (*keep)(sottod_experiments *all);
    /* Something is asked for that is not known here. True: what others changed was read just now. */
    bool (*catch_up)(sottod_experiments *all);
} experiments_mode;
extern const experiments_mode experiments_alone, experiments_shared;

struct sottod_experiments {
    sottod_journal *journal;
    const experiments_mode *mode;
    sottod_log *log;
    experiments_settings settings;
    sottod_fold *fold;
    sottod_experiment **every; /* by number, deleted ones included */
    uint32_t every_count, every_capacity;
    sottod_experiment **live; /* those of them that are not deleted */
    uint32_t live_count;
    sottod_experiment **table; /* by id: open addresses, at most half full */
    uint32_t table_mask;
    sottod_experiment **touched;
    uint32_t touched_count;
    size_t body_bytes_max; /* of all experiments so far */

    uint64_t ready_ms; /* the least of all experiments, or earlier */
    uint64_t keep_ms;  /* when the next snapshot by time is due */
    uint64_t thin_ms;
    uint64_t scrub_ms; /* the earliest time of the next scrub */
    bool scrub;        /* something was removed since the last */
    bool failed;       /* the journal refused what epochs_turn wanted last */
    uint64_t publishes, publishes_in_backlog;

    /* Of a shared journal. */
    bool stale;            /* another process changed something since it was read last */
    uint64_t refreshed_ms; /* when it was, or was tried; of the steady clock */
    uint64_t second_ms;    /* when the present second of readings began */
    uint32_t readings;     /* in it */
    uint64_t waiting_ms;   /* before it nobody asks again what waits */
    uint32_t waiting_next; /* the first of those that are asked for next */
    damaged_list damaged;  /* as all experiments were read last */
    bool has_unusable;     /* there is a newest model that cannot be used */
    uint64_t all_read_ms;  /* when that was */
};

/* ---- one: experiment.c */

/* An experiment of these terms and this learner, which it owns from now on, also if it fails: then it is
 * NULL, and there is no memory or no randomness. Deleted: terms and learner are NULL. */
sottod_experiment *experiment_new(const journal_experiment *row, const sotto_terms *terms,
                                  sotto_learner *learner, bool has_nonces, uint64_t now_ms);
void experiment_free(sottod_experiment *experiment);
/* Lets go of all that a deleted one does not have. */
void experiment_empty(sottod_experiment *experiment);
/* The learner's model as bytes. False if it has numbers that no device would take: then there are none, and
 * epochs_turn closes the experiment. */
bool experiment_encode_model(sottod_experiment *experiment);
/* Makes room for so many more nonces, as far as `most` allows. False: no memory. */
bool experiment_reserve_nonces(sottod_experiment *experiment, uint64_t more, uint32_t most);
uint32_t experiment_oldest_open(const sottod_experiment *experiment);

/* ---- all: experiments.c */

/* One more as the journal has it; it is not recovered yet. False: `fault` says why. */
bool experiments_take(sottod_experiments *all, const journal_experiment *row, uint64_t now_ms,
                      char fault[JOURNAL_FAULT_BYTES]);
/* Makes room for one more, so that experiments_insert cannot fail. */
bool experiments_reserve(sottod_experiments *all);
void experiments_insert(sottod_experiments *all, sottod_experiment *experiment);
void experiments_forget(sottod_experiments *all, const sottod_experiment *experiment);
/* It may be ready to publish: epochs_turn looks at it. */
void experiments_touch(sottod_experiments *all, sottod_experiment *experiment);
/* Ends a transaction: all of it is durable if it was `done` and can be committed; otherwise none of it
 * happened, and the answer is false. */
bool experiments_finish(sottod_journal *journal, bool done);
/* What happened to an experiment, in the log. `name` may be NULL. */
void experiments_log(const sottod_experiments *all, log_level level, const char *event,
                     const sottod_experiment *experiment, const char *name, uint64_t number);

/* ---- rows.c */

/* A row was added, with so many bytes of frames, the newest of this epoch. */
void experiment_rows_add(experiment_rows *rows, uint64_t seq, uint32_t epoch, size_t frames_bytes,
                         uint32_t open_count);
/* The last row that nobody needs once all up to `snapshot` are in one, and `oldest_open` is the oldest
 * open epoch; 0: there is none. */
uint64_t experiment_rows_removable(const experiment_rows *rows, uint64_t snapshot,
                                   uint32_t oldest_open);
/* All up to `to`, which experiment_rows_removable said, are gone. */
void experiment_rows_removed(experiment_rows *rows, uint64_t to);
/* All are in a snapshot. */
void experiment_rows_saved(experiment_rows *rows);

/* ---- recover.c: state and counts of one that was just made, from the journal */
bool experiment_recover(sottod_journal *journal, sottod_experiment *experiment,
                        char fault[JOURNAL_FAULT_BYTES]);

/* ---- state.c: another state, which is durable */
void experiment_become(sottod_experiments *all, sottod_experiment *experiment, journal_state state);

/* ---- publish.c, keep.c: false if the journal failed, and nothing happened */
bool experiment_publish(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                        uint64_t minute);
bool experiment_keep(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms);
bool experiment_wants_keeping(const sottod_experiment *experiment, bool keep_reports);
/* After a publish: what came since the last snapshot weighs more than the snapshot does. */
bool experiment_is_heavy(const sottod_experiment *experiment);
/* As epochs_keep. */
bool experiments_keep_all(sottod_experiments *all);
/* Snapshots by time, thinner history, and what is left of removed rows. */
bool experiments_keep_house(sottod_experiments *all, uint64_t now_ms, uint64_t minute);
uint64_t experiments_house_ms(const sottod_experiments *all);

#endif
