/*
 * The experiments of a service: for each its terms, its learner, the nonces of its open epochs, its state
 * and its counts, as the journal has them.
 *
 * Over a journal that several processes share (journal_is_shared) learner and counts are those of the last
 * publish, and there are no nonces: a folder knows what was counted.
 */
#ifndef SERVICE_EXPERIMENT_H
#define SERVICE_EXPERIMENT_H

#include "service/journal/journal.h"
#include "service/system/log.h"
#include "service/system/refusal.h"

#include <sotto/server.h>

typedef struct sottod_experiment sottod_experiment;
typedef struct sottod_experiments sottod_experiments; /* all of a service */

typedef struct experiments_settings {
    bool keep_reports;        /* no row is ever removed: for research */
    uint32_t nonces_max;      /* of one experiment's open epochs: 1,000 to SOTTO_NONCES_MAX */
    uint32_t experiments_max; /* 1 to 100,000 */
    uint32_t threads;         /* that fold reports; 0: as many as there are cores */
} experiments_settings;

/* Reads all of the journal: each experiment from its snapshot and the rows after it, the nonces from the
 * rows of its open epochs. The journal and the log stay the caller's, and outlive this.
 * *out is NULL, and `fault` says why and where, unless true. */
bool experiments_open(sottod_journal *journal, const experiments_settings *settings,
                      sottod_log *log, uint64_t now_ms, sottod_experiments **out,
                      char fault[JOURNAL_FAULT_BYTES]);
void experiments_free(sottod_experiments *all);

uint32_t experiments_count(
    const sottod_experiments *all); /* those that are deleted are not counted */
sottod_experiment *experiments_at(const sottod_experiments *all, uint32_t i);
/* NULL if there is none. A deleted one is found, in state JOURNAL_DELETED. */
sottod_experiment *experiments_find(const sottod_experiments *all,
                                    const uint8_t id[SOTTO_SPEC_ID_BYTES]);
/* The same; if there is none, looks whether another process made it. */
sottod_experiment *experiments_seek(sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* The ids of those whose row in a shared journal is damaged, or none of whose models can be read, one after the other;
 * NULL: there is no more. */
const char *experiments_damaged(const sottod_experiments *all, uint32_t i);
/* Whether it is there, and cannot be used: also if it was known before. */
bool experiments_is_damaged(const sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* ---- control: each is durable when it answers true; otherwise *why says why it was refused */

typedef struct experiment_request {
    sotto_spec spec;
    sotto_learning learning;
    uint32_t
        epoch_seconds_min; /* 1 to 31,536,000; x epoch_lag_max covers reward_window_s + send_spread_s */
    uint64_t epoch_reports_min; /* 1 to 2^31 */
    uint64_t
        epoch_reports_expected; /* about so many, at most 2^31; 0: not said. The watch tells of more than
                                      * twice as many */
    bool quarantine;            /* an epoch with an alarm is held until somebody decides */
    const char *labels;         /* a JSON object as text, at most 16 KiB */
    bool has_report_key;        /* devices must show a key with their reports */
    uint8_t report_key[JOURNAL_DIGEST_BYTES]; /* its SHA-256; zeros without one */
} experiment_request;

/* 409 if these terms are there already, deleted ones included: another `series` gives another id. */
bool experiments_create(sottod_experiments *all, const experiment_request *request, uint64_t now_ms,
                        sottod_experiment **out, sottod_refusal *why);
/* Open <-> paused, either -> closed (for good), any -> deleted (for good). A state that it has already is
 * no error. */
bool experiment_set_state(sottod_experiments *all, sottod_experiment *experiment,
                          journal_state state, sottod_refusal *why);

/* An epoch that the watch has held (hold.h) ends at the next turn: as it is, or without its reports. 409 if
 * none is held, or the experiment is not open. If the service stops before that turn, it is held again. Over a
 * shared journal the decision is durable, and whoever folds carries it out, once; until then it can be decided
 * otherwise. */
bool experiment_release(sottod_experiments *all, sottod_experiment *experiment,
                        sottod_refusal *why);
bool experiment_discard(sottod_experiments *all, sottod_experiment *experiment,
                        sottod_refusal *why);
/* The fallback that is served ends with the epoch that is open, at its publish: durable when it answers true. 409 if
 * none is served, the experiment is not open, or its epoch is held. */
bool experiment_end_fallback(sottod_experiments *all, sottod_experiment *experiment,
                             sottod_refusal *why);
/* Of epochs to come: one that is held stays held. */
bool experiment_set_quarantine(sottod_experiments *all, sottod_experiment *experiment,
                               bool quarantine, sottod_refusal *why);

/* ---- what is known of one */

#define EXPERIMENT_WATCH_TESTS 5u
/* The name of a test; NULL for another number. */
const char *experiment_watch_test(uint32_t test);
/* The watch: what its owner wants, and the last look at an epoch that was due. */
typedef struct experiment_watch {
    bool quarantine;
    bool held;        /* the current epoch is, and why is in alarms */
    bool ends;        /* it was released or discarded, and ends at the next turn */
    bool discards;    /* without its reports */
    bool has_chances; /* it was looked at here: not over a shared journal */
    uint64_t reports_expected;
    uint32_t epoch;                         /* that was looked at */
    uint64_t reports;                       /* that it had; 0: there was no look since the start */
    uint32_t alarms;                        /* bit t: test t */
    double chance[EXPERIMENT_WATCH_TESTS];  /* as sotto__verdict */
    uint64_t total[EXPERIMENT_WATCH_TESTS]; /* alarms since the start */
} experiment_watch;
experiment_watch experiment_watched(const sottod_experiment *experiment);

uint32_t experiment_number(const sottod_experiment *experiment);
const uint8_t *experiment_id(const sottod_experiment *experiment);
const char *experiment_id_text(const sottod_experiment *experiment); /* 32 hex digits */
journal_state experiment_state(const sottod_experiment *experiment);
const char *experiment_labels(const sottod_experiment *experiment);
uint64_t experiment_created_minute(const sottod_experiment *experiment);
uint32_t experiment_epoch_seconds_min(const sottod_experiment *experiment);
uint64_t experiment_epoch_reports_min(const sottod_experiment *experiment);
/* The SHA-256 of the key that devices must show; NULL: none. */
const uint8_t *experiment_report_key(const sottod_experiment *experiment);
journal_counts experiment_counts(const sottod_experiment *experiment);
/* All of these are NULL for a deleted one. The bytes are those that devices fetch. (The model is NULL also
 * if it has numbers that no device would take: epochs_turn then closes the experiment.) */
const sotto_terms *experiment_terms(const sottod_experiment *experiment);
const uint8_t *experiment_terms_bytes(const sottod_experiment *experiment, size_t *bytes);
const uint8_t *experiment_model_bytes(const sottod_experiment *experiment, size_t *bytes);
const sotto_learner *experiment_learner(const sottod_experiment *experiment);
uint32_t experiment_epoch(const sottod_experiment *experiment);
/* The longest body that an experiment takes: max(1 MiB, one frame), in whole frames. */
size_t experiment_body_bytes_max(const sottod_experiment *experiment);
/* As sotto_learner_measure and sotto_learner_measure_arm, of the batches that were told (told.h). */
sotto_status experiment_measure(const sottod_experiment *experiment, double alpha,
                                sotto_measurement *out);
sotto_status experiment_measure_arm(const sottod_experiment *experiment, double alpha, uint32_t arm,
                                    sotto_arm_measurement *out);
/* As sotto_learner_harm; the upper ends and the better arm are of the batches that were told, NAN after a fallback was
 * ended. The verdict does not wait for a batch: it is of all reports that were published. */
sotto_harm experiment_harm(const sottod_experiment *experiment);
/* Reports since the last publish by role, and the sums of measure rounds; `epoch` is the current one. */
journal_history experiment_since_publish(const sottod_experiment *experiment);
/* The mean age, in epochs, of the learn reports of the last publish here; NAN: none since the start. */
double experiment_age(const sottod_experiment *experiment);
/* Bytes of memory that it holds, without the learner's scratch. */
size_t experiment_memory_bytes(const sottod_experiment *experiment);

#endif
