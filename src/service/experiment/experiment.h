/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_EXPERIMENT_ROOM_H
#define SOTTO_SERVICE_EXPERIMENT_ROOM_H

#include "core/core.h"
#include "server/server.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <sotto/server.h>

#include <pthread.h>

/* ---- damaged -------------------------------------------------------------------------------- */

/* Experiments whose row in a shared journal is damaged: they are not used; the others continue. Their rows are read
 * regularly: once a row is repaired, its experiment is used again. */

typedef struct damaged_one {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES]; /* as far as it is readable */
    char id_text[SPEC_ID_TEXT_BYTES];
    bool seen; /* found in the current reading */
} damaged_one;

typedef struct damaged_list {
    damaged_one *one;
    uint32_t count, capacity;
} damaged_list;

/* One reading of all experiments: it begins, finds damaged rows, and ends. The log says what is newly damaged and
 * what was repaired; if memory for an entry is lacking, the log repeats it at each reading. */
void damaged_begin(damaged_list *list);
void damaged_note(damaged_list *list, const journal_experiment *row, sottod_log *log);
void damaged_end(damaged_list *list, sottod_log *log);
void damaged_free(damaged_list *list);

bool damaged_has_number(const damaged_list *list, uint32_t number);
bool damaged_has_id(const damaged_list *list, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* ---- due ------------------------------------------------------------------------------------ */

/* When an epoch has enough reports to end: the same for a single service and for a publisher. */

/* The rule of one experiment. */
typedef struct due_rule {
    uint64_t reports_min;   /* its epoch_reports_min */
    uint32_t nonces_max;    /* for the open epochs of one experiment */
    uint32_t epoch_lag_max; /* of its spec */
} due_rule;

/* Whether the reports since the last publish suffice. Schedule and epoch_reports_min count learn reports, and also
 * measure reports while a fallback is served (sotto_learner_taken). But if the nonces of so long an epoch, together
 * with those of the other open epochs, would nearly fill nonces_max, then all reports count for epoch_reports_min,
 * and the schedule is ignored. Otherwise an epoch that cannot end would refuse reports forever, and clients that send
 * only measure reports could delay it. */
bool due_has_enough(const due_rule *rule, const sotto_learner *learner);
/* Whether this many more reports could suffice, if all of them are new learn reports. */
bool due_could_be(const due_rule *rule, const sotto_learner *learner, uint64_t reports);

/* ---- experiment ----------------------------------------------------------------------------- */

/*
 * The experiments of a service: for each its terms, its learner, the nonces of its open epochs, its state and its
 * counts, as stored in the journal.
 *
 * With a shared journal, learner and counts are those of the last publish, and there are no nonces: a publisher
 * knows which reports were counted. */

typedef struct sottod_experiment sottod_experiment;
typedef struct sottod_experiments sottod_experiments; /* all experiments of a service */

typedef struct experiments_settings {
    bool keep_reports;        /* never remove rows: for research */
    uint32_t nonces_max;      /* for the open epochs of one experiment: 1,000 to SOTTO_NONCES_MAX */
    uint32_t experiments_max; /* 1 to 100,000 */
    uint32_t threads;         /* to fold reports; 0: one per core */
    /* Stores when epochs began (pace, inner.h); NULL: not stored. Only used by experiments_open. */
    const char *pace_file;
    /* NULL, or called during startup for each experiment as soon as its newest model is known, before its rows are
     * read. */
    void (*knows)(void *self, const sottod_experiment *experiment);
    void *knows_self;
} experiments_settings;

/* Reads the whole journal: each experiment from its snapshot and the rows after it, nonces from the rows of its open
 * epochs. The caller keeps the journal and the log, which must outlive this. *out is NULL, and `fault` says why and
 * where, unless SOTTO_OK. */
SOTTO_CHECK sotto_status experiments_open(sottod_journal *journal,
                                          const experiments_settings *settings, sottod_log *log,
                                          uint64_t now_ms, sottod_experiments **out,
                                          sotto_fault *fault);
void experiments_free(sottod_experiments *all);

/* without deleted ones */
uint32_t experiments_count(const sottod_experiments *all);
sottod_experiment *experiments_at(const sottod_experiments *all, uint32_t i);
/* NULL: none. Also finds deleted experiments, in state JOURNAL_DELETED. */
sottod_experiment *experiments_find(const sottod_experiments *all,
                                    const uint8_t id[SOTTO_SPEC_ID_BYTES]);
/* The same; if it is unknown, checks whether another process created it. */
sottod_experiment *experiments_seek(sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* The id of the i-th experiment whose row in a shared journal is damaged or none of whose models can be read; NULL:
 * no more. */
const char *experiments_damaged(const sottod_experiments *all, uint32_t i);
/* Whether it exists but cannot be used, even if it could be used earlier. */
bool experiments_is_damaged(const sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* ---- control: true: the change is durable; false: it was refused, and *why says why */

#define EXPERIMENT_KEYS_MAX 2u
/* Who may send reports. This is not part of the terms, so ids do not depend on it. */
typedef struct experiment_access {
    const char *origins; /* of web pages, separated by one blank; NULL or "": none; "*": any */
    /* devices must show one of them; 0: none; two only during a change of keys */
    uint32_t keys;
    uint8_t key[EXPERIMENT_KEYS_MAX][JOURNAL_DIGEST_BYTES]; /* their SHA-256 */
} experiment_access;

typedef struct experiment_request {
    sotto_spec spec;
    sotto_learning learning;
    uint32_t
        epoch_seconds_min; /* 1 to 31,536,000; x epoch_lag_max covers reward_window_s + send_spread_s */
    uint64_t epoch_reports_min; /* 1 to 2^31 */
    /* expected number, at most 2^31; 0: unknown. The watch reports more than twice as many. */
    uint64_t epoch_reports_expected;
    bool quarantine;          /* an epoch with an alarm is held until its owner decides */
    const char *labels;       /* a JSON object as text, at most 16 KiB */
    experiment_access access; /* who may send reports */
} experiment_request;

/* 409 if an experiment with these terms exists or was deleted: another `series` gives another id. */
bool experiments_create(sottod_experiments *all, const experiment_request *request, uint64_t now_ms,
                        sottod_experiment **out, sottod_refusal *why);
/* Allowed: open <-> paused, either -> closed (final), any -> deleted (final). Setting the current state again is not
 * an error. */
bool experiment_set_state(sottod_experiments *all, sottod_experiment *experiment,
                          journal_state state, sottod_refusal *why);

/* A held epoch ends at the next turn: as it is, or without its reports. 409 if none is held or the experiment is not
 * open. If the service stops before that turn, the epoch is held again. With a shared journal, the decision is
 * durable, and the publisher carries it out, once; until then it can be changed. */
bool experiment_release(sottod_experiments *all, sottod_experiment *experiment,
                        sottod_refusal *why);
bool experiment_discard(sottod_experiments *all, sottod_experiment *experiment,
                        sottod_refusal *why);
/* The fallback ends when the open epoch is published; this is durable when it returns true. 409 if no fallback is
 * served, the experiment is not open, or its epoch is held. */
bool experiment_end_fallback(sottod_experiments *all, sottod_experiment *experiment,
                             sottod_refusal *why);
/* For future epochs: a held epoch stays held. */
bool experiment_set_quarantine(sottod_experiments *all, sottod_experiment *experiment,
                               bool quarantine, sottod_refusal *why);

/* From the next report on. */
bool experiment_set_access(sottod_experiments *all, sottod_experiment *experiment,
                           const experiment_access *access, sottod_refusal *why);

/* ---- what is known about one */

#define EXPERIMENT_WATCH_TESTS 5u
/* The name of a test; NULL for any other number. */
const char *experiment_watch_test(uint32_t test);
/* The watch: its owner's setting, and the last look at a due epoch. */
typedef struct experiment_watch {
    bool quarantine;
    bool held;        /* the current epoch is held; `alarms` says why */
    bool ends;        /* it was released or discarded, and ends at the next turn */
    bool discards;    /* and its reports are discarded */
    bool has_chances; /* `chance` is valid: the look was taken by this process */
    uint64_t reports_expected;
    uint32_t epoch;                        /* of the look */
    uint64_t reports;                      /* at the look; 0: no look since the start */
    uint32_t alarms;                       /* bit t: test t */
    double chance[EXPERIMENT_WATCH_TESTS]; /* as sotto__watch_verdict */
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
/* `origins` is not NULL. For a deleted experiment: nobody may. Valid until it changes. */
experiment_access experiment_access_of(const sottod_experiment *experiment);
journal_counts experiment_counts(const sottod_experiment *experiment);
/* All of these are NULL for a deleted experiment. The bytes are those that devices fetch. (The model is also NULL if
 * it contains numbers that no device would accept: epochs_turn then closes the experiment.) */
const sotto_terms *experiment_terms(const sottod_experiment *experiment);
const uint8_t *experiment_terms_bytes(const sottod_experiment *experiment, size_t *bytes);
const uint8_t *experiment_model_bytes(const sottod_experiment *experiment, size_t *bytes);
/* The model as gzip: compressed once per epoch, when first requested. NULL: it would not be shorter, it is
 * longer than 1 MiB, or no memory. */
const uint8_t *experiment_model_gzip(sottod_experiment *experiment, size_t *bytes);
const sotto_learner *experiment_learner(const sottod_experiment *experiment);
uint32_t experiment_epoch(const sottod_experiment *experiment);
/* The longest body that an experiment accepts, the same at all times: at most 1 MiB, and as many frames as one core
 * folds in about 20 ms; but at least one frame. */
size_t experiment_body_bytes_max(const sottod_experiment *experiment);
/* False: the body is longer; 413. */
bool experiment_admits_body(const sottod_experiment *experiment, uint64_t body_bytes,
                            sottod_refusal *why);
/* As sotto_learner_measure and sotto_learner_measure_arm, for the published batches (below). */
sotto_status experiment_measure(const sottod_experiment *experiment, double alpha,
                                sotto_measurement *out);
sotto_status experiment_measure_arm(const sottod_experiment *experiment, double alpha, uint32_t arm,
                                    sotto_arm_measurement *out);
/* As sotto_learner_harm. Interval ends and the better arm are those of the published batches, NAN after a fallback
 * was ended. The verdict does not wait for a batch: it uses all published reports. */
sotto_harm experiment_harm(const sottod_experiment *experiment);
/* Its memory, without the learner's scratch. */
size_t experiment_memory_bytes(const sottod_experiment *experiment);

/* ---- epochs --------------------------------------------------------------------------------- */

/*
 * When epochs end, and what follows. An experiment publishes when
 *
 *     it is open
 *     its schedule wants it        reports since the last publish >= sotto_learner_wanted; or their nonces fill their
 *                                  part of nonces_max, so that an epoch does not refuse reports forever
 *     it has enough people         >= epoch_reports_min
 *     it lasted long enough        epoch_seconds_min since the last publish, restarts included (inner.h)
 *     its backlog is drained       everything received for this experiment is taken in, or the epoch has waited
 *                                  epoch_seconds_min for that. Other requests do not count
 *
 * A publish is first a durable row in the journal, then the learner's step and the new model. A snapshot follows when
 * the frames since the last one weigh 4 times as much, or after 10 minutes; then rows that no open epoch needs are
 * removed. An experiment that has no epoch left (2^32), or whose model contains numbers that no device would accept,
 * is closed.
 *
 * With a shared journal none of this happens here: a publisher does it. A turn then reads what other processes
 * changed: new experiments, states, models. Epochs never go back. */

/* age in minutes at which history is thinned */
#define EPOCHS_HISTORY_WEEK_MIN (7u * 24u * 60u)

/* Publishes a few of the experiments that are due; the others follow at the next call. Call it once per reading of
 * all ports. `drained`: no port had anything more. An experiment with reports in an uncommitted group waits for the
 * commit. False if the journal failed; the next call retries what could not be published. */
bool epochs_turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
/* Milliseconds until time alone may make one due; -1: none. */
int epochs_timeout_ms(const sottod_experiments *all, uint64_t now_ms);

/* Part of a body of reports was read: the rest may have been received already. */
void epochs_arrives(sottod_experiment *experiment);

/* Notes what other processes changed, so that the next turn reads it. Does not wait. */
void epochs_notice(sottod_experiments *all);

/* Writes snapshots of everything that changed, and removes rows: at the end, and from time to time. */
bool epochs_keep(sottod_experiments *all);
uint64_t epochs_published(const sottod_experiments *all); /* since the start */
/* of these, how many did not wait for the backlog */
uint64_t epochs_published_in_backlog(const sottod_experiments *all);

/* ---- frame_head ----------------------------------------------------------------------------- */

/* What a set of nonces needs of a report, read from its frame without decoding the rest. */

/* Epoch and nonce, without values. */
static inline sotto_report frame_head(const uint8_t *frame)
{
    sotto_report head = {.epoch = sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT)};
    memcpy(head.nonce, frame + SOTTO__REPORT_NONCE_AT, sizeof head.nonce);
    return head;
}

/* ---- intake --------------------------------------------------------------------------------- */

/*
 * Taking reports, in groups: any number of bodies are offered, one commit makes all of them durable, and then they are
 * folded. Nothing is acknowledged before.
 *
 *     offer   first every frame is checked; then each is classified: new, late, duplicate or conflicting
 *     commit  one row per experiment, frames sorted by nonce; durable; then folded
 *
 * If the commit fails, the group is undone: its nonces are forgotten, and devices send again. */

typedef struct sottod_intake sottod_intake;

/* NULL: no memory. `frames_bytes_max` limits the bytes of one group; one body of maximal length always fits.
 * Experiments have one intake at a time and must outlive it. */
sottod_intake *intake_new(sottod_experiments *all, size_t frames_bytes_max);
void intake_free(sottod_intake *intake);

/* A body of frames for one experiment. True: all of it is in the group. False: nothing is, and *why has the reason:
 * 400 malformed (the position of the frame is given), of another experiment, or of an epoch that has not begun (field
 * "epoch"), 404 (the experiment is NULL), 409 paused, 410 closed or deleted, 413 too long, 503 no room. A frame that
 * is late, or whose nonce was seen before (same bytes: duplicate; other bytes: conflicting), is counted and skipped;
 * the other frames are still accepted. */
bool intake_offer(sottod_intake *intake, sottod_experiment *experiment, const uint8_t *body,
                  size_t body_bytes, sottod_refusal *why);
/* Bodies that wait for the commit. */
uint32_t intake_waiting(const sottod_intake *intake);
/* How long the group should wait for reports, because it has only copies and late frames: with a shared journal, their
 * counts cost a row. 0: commit it now. */
uint32_t intake_gathers_ms(const sottod_intake *intake);
/* True: durable and folded. False: the group is undone; *why (503) is for devices, and journal_fault has the reason. */
bool intake_commit(sottod_intake *intake, sottod_refusal *why);

/* ---- published ------------------------------------------------------------------------------ */

/*
 * What results show of measure rounds. A report of such a round is one bit, and an epoch may have only one of them:
 * sums that change with every publish would reveal that bit to anybody who compares two results. So they are shown in
 * batches. A publish shows a batch when each of its parts (the people who follow, and those of each assigned arm) has
 * either no report or at least epoch_reports_min; until then results and history stay as they are.
 *
 * The recent uplift begins at a power of two, which may lie inside a batch. If either part of that batch has too few
 * reports, the recent uplift is not shown until it begins again.
 *
 * After a restart everything known is shown: whoever can restart the service can also read its files. With a shared
 * journal this is stored with each model, so that all processes show the same. */

typedef struct published_results {
    sotto__measures shown; /* no arms if there are no measure rounds */
    sotto__measures next;  /* what the next batch would show */
    bool hides_recent, will_hide_recent;
    sotto__measured follow, control; /* sums over all rows of history */
} published_results;

/* Shows everything that the learner knows. False: no memory. */
bool published_make(published_results *published, const sotto_learner *learner,
                    const sotto_terms *terms);
void published_free(published_results *published);

/* Before a publish: computes what history will show of measure rounds; nothing if no batch is complete. True if one
 * is: then call published_done once the publish is durable and before the learner publishes. */
bool published_prepare(published_results *published, const sotto_learner *learner,
                       uint64_t reports_min, journal_history *history);
void published_done(published_results *published, uint32_t arms);

/* The results shown, encoded in published_bytes bytes. */
size_t published_bytes(const sotto_terms *terms);
void published_encode(const published_results *published, const sotto_terms *terms, uint8_t *out);
/* Fills one that published_make made for these terms. False, with nothing changed, for anything that published_encode
 * cannot have written for them. */
bool published_decode(published_results *published, const sotto_terms *terms, const uint8_t *bytes,
                      size_t bytes_count);

/* ---- hold ----------------------------------------------------------------------------------- */

/*
 * The verdict of the watch (server/server.h) on a due epoch, and what follows:
 *
 *     no alarm                    the epoch is published
 *     an alarm, no quarantine     it is published, and history records the alarms
 *     an alarm, quarantine        it is held: it still accepts reports, and is not published until its owner releases
 *                                 it (it is published as it is then) or discards it (nothing is learnt from it)
 *
 * There is one look at each epoch, when it is due; a held epoch stays held. The store of a single process does not
 * record this: after a restart there is another look, at all the reports that the epoch has then. A shared store records
 * it, and the decision; a gateway knows both from its last reading. */

typedef struct experiment_hold {
    bool quarantine;           /* the owner's setting */
    uint64_t reports_expected; /* the owner's estimate; 0: unknown */
    bool held;
    /* nothing is held: the owner has ended the fallback, and the next publish carries that out */
    bool fallback_ends;
    /* on either: JOURNAL_PUBLISH, JOURNAL_DISCARD; JOURNAL_REPORTS: none */
    journal_kind decision;
    uint32_t epoch;            /* of the look, or held */
    sotto__watch_verdict seen; /* at the last look; no reports: there was none */
    bool unsaid;               /* that look is not in the log yet */
    bool has_chances;          /* seen.chance is valid: this process took the look */
} experiment_hold;

/* Sets it from a row of a store. */
void hold_hear(experiment_hold *hold, const journal_held *held);

/* ---- totals --------------------------------------------------------------------------------- */

/* For metrics: epochs with an alarm of the watch since the start, by experiment and test, and the age of reports.
 * Written by the publisher; any thread may read. */

typedef struct watch_total {
    uint64_t epochs[SOTTO__WATCH_TESTS];
    /* mean age, in epochs, of the learn reports in the last publish here; NAN: none since the start */
    double age;
    uint64_t said_ms; /* when the log last said that too few reports count; 0: never */
} watch_total;

typedef struct watch_totals {
    pthread_mutex_t mutex;
    watch_total *row; /* index: the number of the experiment */
    uint32_t capacity;
} watch_totals;

void totals_init(watch_totals *totals);
void totals_free(watch_totals *totals);
/* `tests` has one bit per test with an alarm. Without memory, nothing is counted or noted. */
void totals_count(watch_totals *totals, uint32_t experiment, uint32_t tests);
void totals_note_age(watch_totals *totals, uint32_t experiment, double age);
/* Whether to log now that too few reports count: at most every `least_ms`, even if the experiment was reloaded
 * meanwhile. */
bool totals_say(watch_totals *totals, uint32_t experiment, uint64_t now_ms, uint64_t least_ms);
/* in place of an experiment: sums over all, and their largest age */
#define TOTALS_ALL UINT32_MAX
watch_total totals_look(watch_totals *totals, uint32_t experiment);
/* The totals of a service, valid as long as its experiments. */
watch_totals *experiments_totals(sottod_experiments *all);

/* ---- engine --------------------------------------------------------------------------------- */

/*
 * The open epoch of an experiment: which of its reports are new, when it may end, and its end. It is the same with
 * every store: for a single service, which folds reports when it accepts them, and for a publisher, which folds the
 * waiting ones. A gateway also has one, with the last published model and without nonces. */

typedef struct epoch_engine {
    uint32_t experiment; /* its number */
    sotto_terms terms;
    size_t frame_bytes;
    due_rule rule;
    uint32_t seconds_min; /* the shortest epoch */
    int64_t began_ms;     /* when the open epoch began or was first seen, by the steady clock */
    sotto_learner *learner;
    sotto_nonce_set *nonces; /* of open epochs; NULL: unknown */
    published_results results;
    experiment_hold hold;
    journal_counts counts;    /* since the experiment began */
    journal_counts published; /* at the last publish */
} epoch_engine;

/* The engine before its first report, without nonces. NULL: no memory, or `fault` says what is wrong with the row. */
epoch_engine *engine_new(const journal_experiment *row, uint32_t nonces_max, uint64_t now_ms,
                         sotto_fault *fault);
void engine_free(epoch_engine *engine);

uint32_t engine_epoch(const epoch_engine *engine);
uint32_t engine_oldest(const epoch_engine *engine); /* the oldest open epoch */

/* Sets how long the open epoch has lasted. */
void engine_lasts(epoch_engine *engine, uint64_t lasted_ms, uint64_t now_ms);
uint64_t engine_lasted_ms(const epoch_engine *engine, uint64_t now_ms);
/* From when on it has lasted long enough. */
uint64_t engine_due_ms(const epoch_engine *engine);

/* A learner from its stored bytes; NULL: `why` has the sentence. */
sotto_learner *engine_read_learner(const sotto_terms *terms, const journal_bytes *bytes,
                                   sotto_fault *why);

/* A stored publish: `seq` is its epoch. The caller owns *out until engine_take_model. A fault says why it is
 * unusable. */
typedef struct engine_model {
    sotto_learner *learner;
    published_results results;
} engine_model;
SOTTO_CHECK sotto_status engine_read_model(const epoch_engine *engine,
                                           const journal_snapshot *snapshot, engine_model *out,
                                           sotto_fault *fault);
void engine_model_free(engine_model *model);
/* Continues with this model: none of the reports counted so far belongs to the open epoch. */
void engine_take_model(epoch_engine *engine, engine_model *model, const journal_counts *counts);

/* Makes an empty set of nonces. False: no memory, or no randomness. */
bool engine_make_nonces(epoch_engine *engine);
/* Makes room for so many more, at most `most` in all. False: no memory. */
bool engine_reserve(const epoch_engine *engine, uint64_t more, uint64_t most);
/* Classifies and counts a report that waits to be folded: it is new, and its nonce is stored; or late; or its nonce
 * was seen before (same bytes: duplicate; other bytes: conflicting). *is_new is true only for a new one.
 * SOTTO_E_EPOCH: its epoch has not begun; SOTTO_E_FULL: no room. */
sotto_status engine_sort(const epoch_engine *engine, const uint8_t *frame, journal_counts *counts,
                         bool *is_new);
/* Stores the nonces of frames that were folded earlier, if their epochs are still open. *copies: how many were stored
 * already, the last of them at *place. False: no memory, or the epoch of the frame at *place has not begun. */
bool engine_know(const epoch_engine *engine, const uint8_t *frames, size_t bytes, uint64_t *copies,
                 uint64_t *place);
void counts_add(journal_counts *to, const journal_counts *more);

/* Whether the row is about this epoch: it is held, or ends with the fallback. */
bool engine_is_held(const epoch_engine *engine);
journal_kind engine_decision(const epoch_engine *engine);

/* ---- the end of an epoch, over every store */

/* The outcome of an attempt to end an epoch. */
typedef enum epoch_outcome {
    EPOCH_DONE,
    EPOCH_TOO_FEW, /* too few of the reports count; nothing changed */
    /* the watch has an alarm and the experiment is in quarantine; nothing changed */
    EPOCH_HELD,
    EPOCH_FENCED, /* another publisher published it, or a decision changed; nothing changed */
    EPOCH_CLOSED, /* the experiment cannot continue and was closed */
    EPOCH_AWAY,   /* the store cannot be written and says why */
    EPOCH_BROKEN  /* impossible, now and later */
} epoch_outcome;

typedef struct epoch_ending {
    uint64_t minute;
    /* Set by engine_end. */
    bool holds;           /* it is held from now on */
    bool discards;        /* its reports are discarded */
    uint32_t alarms;      /* one bit per test of the watch */
    journal_kind decided; /* on a held epoch; JOURNAL_REPORTS: none */
    uint32_t epoch;       /* the one that opens */
    journal_kind kind;
    double age;         /* mean age of its learn reports, in epochs; 0 if they are discarded */
    sotto__harm before; /* harm before this end */
    bool has_batch;     /* a batch of measure rounds is complete */
    journal_history history;
    sotto_status status; /* of the learner's step */
} epoch_ending;

/*
 * The differences between stores. Each function makes its change durable, completely or not at all, and returns
 * EPOCH_DONE.
 *
 *     a store of rows      the publish is a row; afterwards the learner makes its step, as a replay does
 *     a store of models    the learner makes its step on a copy; then the model is inserted */
typedef struct epoch_store {
    bool keeps_models;
    /* together with its history */
    epoch_outcome (*publish)(void *self, const epoch_ending *ending);
    epoch_outcome (*hold)(void *self, const journal_held *held); /* NULL: not stored */
    /* closes the experiment: EPOCH_CLOSED */
    epoch_outcome (*close)(void *self, const char *why);
} epoch_store;

/* Ends the epoch if it has enough reports and neither the watch nor its owner holds it back. EPOCH_BROKEN: `status`,
 * if not SOTTO_OK, says why the learner made no step. With a store of models, learner and results may have changed
 * unless the outcome is EPOCH_DONE, EPOCH_TOO_FEW or EPOCH_HELD: read them again. */
epoch_outcome engine_end(epoch_engine *engine, epoch_ending *ending, const epoch_store *store,
                         void *self);
/* Logs a line about an epoch; `name` is the name of `text`, or NULL. */
void epoch_log(sottod_log *log, log_level level, const char *event, const char *id_text,
               uint32_t epoch, const char *name, const char *text);
/* Counts and logs what happened: a look at an epoch, that it is held, its end. If reports become more than
 * ENDING_AGE_MAX epochs old on average, this gets a line of its own. */
#define ENDING_AGE_MAX 4.0
void engine_say(epoch_engine *engine, const epoch_ending *ending, epoch_outcome outcome,
                watch_totals *totals, sottod_log *log, const char *id_text);

/* ---- waiting -------------------------------------------------------------------------------- */

/*
 * How many accepted reports of an experiment are not yet in a model. With a shared journal only the database knows: it
 * is asked on demand. In a service with its own journal, reports are folded when they are accepted, so none waits. */

#define WAITING_ASKED_MAX 25u /* experiments per query */

/* Asks about one experiment. */
void waiting_ask(sottod_experiments *all, sottod_experiment *experiment);
/* Asks about all, WAITING_ASKED_MAX of them per call in turn; at most once a second. */
void waiting_ask_all(sottod_experiments *all, uint64_t now_ms);
/* The last answer; false: unknown. */
bool waiting_reports(const sottod_experiment *experiment, uint64_t *reports);

#endif
