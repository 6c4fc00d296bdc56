/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_EXPERIMENT_ROOM_H
#define SOTTO_SERVICE_EXPERIMENT_ROOM_H

#include "core/core.h"
#include "server/server.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <sotto/server.h>

#include <pthread.h>

/* ---- damaged -------------------------------------------------------------------------------- */

/* Experiments whose row in a shared journal is damaged: they are not used, the others continue. Their rows are read
 * regularly: a repaired row is used from then on. */

typedef struct damaged_one {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES]; /* as far as it can be read */
    char id_text[SPEC_ID_TEXT_BYTES];
    bool seen; /* in the present reading */
} damaged_one;

typedef struct damaged_list {
    damaged_one *one;
    uint32_t count, capacity;
} damaged_list;

/* A reading of all experiments: it begins, finds damaged rows, and ends. The log has what is new, and what is
 * whole again. Without memory for one, the log has it at each reading. */
void damaged_begin(damaged_list *list);
void damaged_note(damaged_list *list, const journal_experiment *row, sottod_log *log);
void damaged_end(damaged_list *list, sottod_log *log);
void damaged_free(damaged_list *list);

bool damaged_has_number(const damaged_list *list, uint32_t number);
bool damaged_has_id(const damaged_list *list, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

/* ---- due ------------------------------------------------------------------------------------ */

/* When an epoch has enough reports to end: the same for a single service and for a publisher of several. */

/* The rule of one experiment. */
typedef struct due_rule {
    uint64_t reports_min;   /* epoch_reports_min */
    uint32_t nonces_max;    /* of one experiment's open epochs */
    uint32_t epoch_lag_max; /* of its spec */
} due_rule;

/* What the learner took since the last publish is enough. The schedule and the floor count learn reports, and
 * those of measure rounds while a fallback is served (sotto_learner_taken).
 * If the nonces of so long an epoch, and of those that stay open beside it, are about all that can be known,
 * all reports count for the floor, and the schedule does not: an epoch that could not end would refuse
 * reports for ever, and clients that send only measure reports do not delay it. */
bool due_has_enough(const due_rule *rule, const sotto_learner *learner);
/* Whether so many more reports could be enough: if all of them are new, and learn reports. */
bool due_could_be(const due_rule *rule, const sotto_learner *learner, uint64_t reports);

/* ---- experiment ----------------------------------------------------------------------------- */

/*
 * The experiments of a service: for each its terms, its learner, the nonces of its open epochs, its state
 * and its counts, as the journal has them.
 *
 * Over a journal that several processes share learner and counts are those of the last
 * publish, and there are no nonces: a publisher knows what was counted.
 */

typedef struct sottod_experiment sottod_experiment;
typedef struct sottod_experiments sottod_experiments; /* all of a service */

typedef struct experiments_settings {
    bool keep_reports;        /* no row is ever removed: for research */
    uint32_t nonces_max;      /* of one experiment's open epochs: 1,000 to SOTTO_NONCES_MAX */
    uint32_t experiments_max; /* 1 to 100,000 */
    uint32_t threads;         /* that fold reports; 0: as many as there are cores */
    const char *pace_file;    /* for the times at which epochs began (inner.h); NULL: they are not
                               * kept. Valid during experiments_open only */
    /* NULL, or called during startup for each experiment whose newest model is known before its
     * rows are read. */
    void (*knows)(void *self, const sottod_experiment *experiment);
    void *knows_self;
} experiments_settings;

/* Reads all of the journal: each experiment from its snapshot and the rows after it, the nonces from the
 * rows of its open epochs. The journal and the log stay the caller's, and outlive this.
 * *out is NULL, and `fault` says why and where, unless SOTTO_OK. */
SOTTO_CHECK sotto_status experiments_open(sottod_journal *journal,
                                          const experiments_settings *settings, sottod_log *log,
                                          uint64_t now_ms, sottod_experiments **out,
                                          sotto_fault *fault);
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

#define EXPERIMENT_KEYS_MAX 2u
/* Who may send reports. It is not part of the terms: ids stay the same. */
typedef struct experiment_access {
    const char *origins; /* of web pages, one blank between (store.h); NULL or "": none; "*": any */
    uint32_t keys;       /* devices must show one of them; 0: none; two only while one is renewed */
    uint8_t key[EXPERIMENT_KEYS_MAX][JOURNAL_DIGEST_BYTES]; /* their SHA-256 */
} experiment_access;

typedef struct experiment_request {
    sotto_spec spec;
    sotto_learning learning;
    uint32_t
        epoch_seconds_min; /* 1 to 31,536,000; x epoch_lag_max covers reward_window_s + send_spread_s */
    uint64_t epoch_reports_min; /* 1 to 2^31 */
    uint64_t
        epoch_reports_expected; /* about so many, at most 2^31; 0: not said. The watch reports more than
                                      * twice as many */
    bool quarantine;            /* an epoch with an alarm is held until somebody decides */
    const char *labels;         /* a JSON object as text, at most 16 KiB */
    experiment_access access; /* who may send reports */
} experiment_request;

/* 409 if these terms are there already, deleted ones included: another `series` gives another id. */
bool experiments_create(sottod_experiments *all, const experiment_request *request, uint64_t now_ms,
                        sottod_experiment **out, sottod_refusal *why);
/* Open <-> paused, either -> closed (for good), any -> deleted (for good). A state that it has already is
 * no error. */
bool experiment_set_state(sottod_experiments *all, sottod_experiment *experiment,
                          journal_state state, sottod_refusal *why);

/* An epoch that the watch has held (experiment.h) ends at the next turn: as it is, or without its reports. 409 if
 * none is held, or the experiment is not open. If the service stops before that turn, it is held again. Over a
 * shared journal the decision is durable, and the publisher carries it out, once; until then it can be decided
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

/* From the next report on. */
bool experiment_set_access(sottod_experiments *all, sottod_experiment *experiment,
                           const experiment_access *access, sottod_refusal *why);

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
    uint32_t epoch;                        /* that was looked at */
    uint64_t reports;                      /* that it had; 0: there was no look since the start */
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
/* `origins` is not NULL. Of a deleted one: nobody. Valid until it changes. */
experiment_access experiment_access_of(const sottod_experiment *experiment);
journal_counts experiment_counts(const sottod_experiment *experiment);
/* All of these are NULL for a deleted one. The bytes are those that devices fetch. (The model is NULL also
 * if it has numbers that no device would take: epochs_turn then closes the experiment.) */
const sotto_terms *experiment_terms(const sottod_experiment *experiment);
const uint8_t *experiment_terms_bytes(const sottod_experiment *experiment, size_t *bytes);
const uint8_t *experiment_model_bytes(const sottod_experiment *experiment, size_t *bytes);
/* The model as gzip: made once for an epoch, when it is first asked for. NULL: it would be no shorter, or there is no
 * memory. */
const uint8_t *experiment_model_gzip(sottod_experiment *experiment, size_t *bytes);
const sotto_learner *experiment_learner(const sottod_experiment *experiment);
uint32_t experiment_epoch(const sottod_experiment *experiment);
/* The longest body that an experiment takes: max(1 MiB, one frame), in whole frames. */
size_t experiment_body_bytes_max(const sottod_experiment *experiment);
/* As sotto_learner_measure and sotto_learner_measure_arm, of the batches that were published (below). */
sotto_status experiment_measure(const sottod_experiment *experiment, double alpha,
                                sotto_measurement *out);
sotto_status experiment_measure_arm(const sottod_experiment *experiment, double alpha, uint32_t arm,
                                    sotto_arm_measurement *out);
/* As sotto_learner_harm; the upper ends and the better arm are of the batches that were published, NAN after a fallback was
 * ended. The verdict does not wait for a batch: it is of all reports that were published. */
sotto_harm experiment_harm(const sottod_experiment *experiment);
/* Bytes of memory that it holds, without the learner's scratch. */
size_t experiment_memory_bytes(const sottod_experiment *experiment);

/* ---- epochs --------------------------------------------------------------------------------- */

/*
 * When epochs end, and what follows from it. An experiment publishes when
 *
 *     it is open
 *     its schedule wants it        reports since the last publish >= sotto_learner_wanted; or their nonces
 *                                  fill their part of nonces_max, so that no epoch refuses reports for ever
 *     enough people are in it      >= epoch_reports_min
 *     it lasted long enough        epoch_seconds_min since the last publish, restarts included (inner.h)
 *     its backlog is drained       what was received of this experiment is taken in; or the epoch waited for
 *                                  that for epoch_seconds_min. Other requests do not count
 *
 * Publishing: a row in the journal, durable, first; then the learner's step and the new model.
 * A snapshot follows when the frames since the last one weigh 4 times as much, or after 10 minutes; then
 * rows that no open epoch needs are removed. An experiment without an epoch left (2^32), or whose model has
 * numbers that no device would take, is closed.
 *
 * Over a journal that several processes share none of this happens here: a publisher does it. A turn then reads
 * what others did: new experiments, states, models. Epochs never go back.
 */

#define EPOCHS_HISTORY_WEEK_MIN (7u * 24u * 60u) /* minutes after which history is thinned */

/* Publishes what is due, of a few experiments: the rest is due at the next call. Once per look at all ports.
 * `drained`: no port had anything more. An experiment with reports in a group that is not committed waits for the
 * commit. False if the journal failed; what could not be published is tried again at the next call. */
bool epochs_turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
/* Milliseconds until one may become due only by time; -1: none. */
int epochs_timeout_ms(const sottod_experiments *all, uint64_t now_ms);

/* A part of a body of reports was read: the rest of it may have been received. */
void epochs_arrives(sottod_experiment *experiment);

/* Notes what other processes changed, so that the next turn reads it. Does not wait. */
void epochs_notice(sottod_experiments *all);

/* Snapshots of all that changed, and removal of rows: at the end, and now and then. */
bool epochs_keep(sottod_experiments *all);
uint64_t epochs_published(const sottod_experiments *all); /* since the start */
uint64_t epochs_published_in_backlog(
    const sottod_experiments *all); /* of them, with the backlog not drained */

/* ---- fallback ------------------------------------------------------------------------------- */

/* Harm and the fallback of an experiment, in the log. */

/* What a publish changed, each once: harm was seen, the fallback is served, it has ended. `epoch` is the one that
 * opened. */
void fallback_say(sottod_log *log, const char *id_text, uint32_t epoch, const sotto__harm *before,
                  const sotto__harm *after);

/* ---- frame_head ----------------------------------------------------------------------------- */

/* What a set of nonces must know of a report, read from its frame without decoding the rest. */

/* Epoch and nonce; it has no values. */
static inline sotto_report frame_head(const uint8_t *frame)
{
    sotto_report head = {.epoch = sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT)};
    memcpy(head.nonce, frame + SOTTO__REPORT_NONCE_AT, sizeof head.nonce);
    return head;
}

/* ---- intake --------------------------------------------------------------------------------- */

/*
 * Taking reports, in groups: any number of bodies are offered, one commit makes all of them durable, and
 * then they are folded. Nothing is acknowledged before.
 *
 *     offer   every frame is checked first; then each is new, late, a duplicate or conflicting
 *     commit  one row per experiment, frames sorted by nonce; durable; then folded
 *
 * If the commit fails, the group never was: its nonces are forgotten, and devices send again.
 */

typedef struct sottod_intake sottod_intake;

/* NULL: no memory. `frames_bytes_max` bounds what one group holds; one body of the longest kind always fits.
 * Experiments have one intake at a time, and outlive it. */
sottod_intake *intake_new(sottod_experiments *all, size_t frames_bytes_max);
void intake_free(sottod_intake *intake);

/* A body of frames for one experiment. True: all of it is in the group. False: nothing is, and *why says
 * why: 400 malformed (which frame, by its place), foreign, or of an epoch that has not begun (field "epoch"),
 * 404 (NULL for the experiment), 409 paused, 410 closed or deleted, 413 too long, 503 no room. A frame that is
 * late, or whose nonce was seen before (same bytes: duplicate; other bytes: conflicting), is counted and
 * skipped, and is not a reason to refuse the others. */
bool intake_offer(sottod_intake *intake, sottod_experiment *experiment, const uint8_t *body,
                  size_t body_bytes, sottod_refusal *why);
/* Bodies that wait for the commit. */
uint32_t intake_waiting(const sottod_intake *intake);
/* Of a shared journal: all of them are copies and late frames, of which nothing but counts is written down. */
bool intake_counts_only(const sottod_intake *intake);
/* True: durable, and folded. False: nothing of the group happened; *why (503) is for devices, and
 * journal_fault has the reason. */
bool intake_commit(sottod_intake *intake, sottod_refusal *why);

/* ---- published ------------------------------------------------------------------------------ */

/*
 * What results show of measure rounds. A report of such a round is one bit, and an epoch may have only one of
 * them: sums that change with every publish would show that bit to anybody who looks before and after. So they
 * are shown in batches. A batch appears at a publish when each of its parts (the people who follow, and those
 * of each assigned arm) has no report, or at least epoch_reports_min; until then results and history stay as
 * they are.
 *
 * The recent uplift begins at a power of two, which may lie inside a batch. If either part of that batch has
 * too few reports, the recent uplift is not shown until it begins again.
 *
 * After a restart all is shown that is known then: who can restart the service can read its files. In a
 * service of several processes it is stored with each model, so that all of them show the same.
 */

typedef struct published_results {
    sotto__measures shown; /* no arms if there are no measure rounds */
    sotto__measures next;  /* as they would be */
    bool hides_recent, will_hide_recent;
    sotto__measured follow, control; /* the sums over all rows of history */
} published_results;

/* False: no memory. Everything that the learner knows is shown. */
bool published_make(published_results *published, const sotto_learner *learner,
                    const sotto_terms *terms);
void published_free(published_results *published);

/* Before a publish: what history will have of measure rounds; nothing if no batch is whole. True if one is:
 * then published_done is called once the publish is durable, and before the learner publishes. */
bool published_prepare(published_results *published, const sotto_learner *learner,
                       uint64_t reports_min, journal_history *history);
void published_done(published_results *published, uint32_t arms);

/* What is shown, as bytes: those of published_bytes. */
size_t published_bytes(const sotto_terms *terms);
void published_encode(const published_results *published, const sotto_terms *terms, uint8_t *out);
/* Fills one that published_make made for these terms. False, with nothing changed, for anything but what
 * published_encode can have written for them. */
bool published_decode(published_results *published, const sotto_terms *terms, const uint8_t *bytes,
                      size_t bytes_count);

/* ---- hold ----------------------------------------------------------------------------------- */

/*
 * What the watch (server/server.h) says of an epoch when it is due, and what follows from it.
 *
 *     no alarm                    it is published
 *     an alarm, no quarantine     it is published, and history has the alarms
 *     an alarm, quarantine        it is held: it still accepts reports, and is not published until somebody
 *                                 releases it (it is published as it is then) or discards it (nothing is
 *                                 learnt from it)
 *
 * An epoch is looked at once, when it is due; one that is held stays held. A store of one process does not keep that it
 * is: after a restart it is looked at again, with all the reports that it has then. One that several share keeps it, and
 * what was decided of it; a gateway has it as it was read last.
 */

typedef struct experiment_hold {
    bool quarantine;           /* as its owner wants */
    uint64_t reports_expected; /* as its owner says; 0: not said */
    bool held;
    bool
        fallback_ends; /* nothing is held: the owner has ended the fallback, and the next publish does so */
    journal_kind decision; /* of either: JOURNAL_PUBLISH, JOURNAL_DISCARD; JOURNAL_REPORTS: none */
    uint32_t epoch;        /* that was looked at, or is held */
    sotto__watch_verdict seen; /* at the last look; no reports: there was none */
    bool unsaid;               /* that look is not in the log yet */
    bool has_chances;          /* it was looked at here: seen.chance is known */
} experiment_hold;

/* As a store has it. */
void hold_hear(experiment_hold *hold, const journal_held *held);
/* Its epoch has ended. */
void hold_end(experiment_hold *hold);

/* ---- totals --------------------------------------------------------------------------------- */

/* For metrics: epochs with an alarm of the watch since the start, by experiment and test, and how old reports are. The
 * publisher counts them; any thread may look. */

typedef struct watch_total {
    uint64_t epochs[SOTTO__WATCH_TESTS];
    double
        age; /* mean, in epochs, of the learn reports of the last publish here; NAN: none since the start */
    uint64_t said_ms; /* when it was said last that its reports are too few; 0: never */
} watch_total;

typedef struct watch_totals {
    pthread_mutex_t mutex;
    watch_total *row; /* by the number of the experiment */
    uint32_t capacity;
} watch_totals;

void totals_init(watch_totals *totals);
void totals_free(watch_totals *totals);
/* `tests` has a bit for each test with an alarm. Without memory it is not counted; nor is an age noted. */
void totals_count(watch_totals *totals, uint32_t experiment, uint32_t tests);
void totals_note_age(watch_totals *totals, uint32_t experiment, double age);
/* Whether it is to be said now that its reports are too few: every `least_ms`, also of one that is loaded again. */
bool totals_say(watch_totals *totals, uint32_t experiment, uint64_t now_ms, uint64_t least_ms);
#define TOTALS_ALL UINT32_MAX /* instead of an experiment: the sums, and the largest age, of all */
watch_total totals_look(watch_totals *totals, uint32_t experiment);
/* Those of a service. Valid as long as its experiments. */
watch_totals *experiments_totals(sottod_experiments *all);

/* ---- engine --------------------------------------------------------------------------------- */

/*
 * The open epoch of an experiment: which of its reports are new, when it may end, and its end. The same over every
 * store: for a single service, whose reports are folded when they are accepted, and for a publisher of several, which
 * folds those that wait. A gateway has one, too, with the model that was published last, and without nonces.
 */

typedef struct epoch_engine {
    uint32_t experiment; /* its number */
    sotto_terms terms;
    size_t frame_bytes;
    due_rule rule;
    uint32_t seconds_min; /* that an epoch lasts */
    int64_t began_ms;     /* the open one, or when it was first known of, by the steady clock */
    sotto_learner *learner;
    sotto_nonce_set *nonces; /* of open epochs; NULL: they are not known */
    published_results results;
    experiment_hold hold;
    journal_counts counts;    /* since the experiment began */
    journal_counts published; /* as they were at the last publish */
} epoch_engine;

/* Before its first report, and without nonces. NULL: no memory, or `fault` says what is wrong with the row. */
epoch_engine *engine_new(const journal_experiment *row, uint32_t nonces_max, uint64_t now_ms,
                         sotto_fault *fault);
void engine_free(epoch_engine *engine);

uint32_t engine_epoch(const epoch_engine *engine);
uint32_t engine_oldest(const epoch_engine *engine); /* the oldest open epoch */

/* The open epoch has lasted so long. */
void engine_lasts(epoch_engine *engine, uint64_t lasted_ms, uint64_t now_ms);
uint64_t engine_lasted_ms(const epoch_engine *engine, uint64_t now_ms);
/* From when on it has lasted long enough. */
uint64_t engine_due_ms(const epoch_engine *engine);

/* A learner as a store has it; NULL: `why` has the sentence. */
sotto_learner *engine_read_learner(const sotto_terms *terms, const journal_bytes *bytes,
                                   sotto_fault *why);

/* What a store has of a publish: `seq` is its epoch. *out is the caller's until engine_take_model. A fault says
 * why it cannot be used. */
typedef struct engine_model {
    sotto_learner *learner;
    published_results results;
} engine_model;
SOTTO_CHECK sotto_status engine_read_model(const epoch_engine *engine,
                                           const journal_snapshot *snapshot, engine_model *out,
                                           sotto_fault *fault);
void engine_model_free(engine_model *model);
/* Goes on with it: of the reports that were counted by then, none is of the open epoch. */
void engine_take_model(epoch_engine *engine, engine_model *model, const journal_counts *counts);

/* An empty set of nonces. False: no memory, or no randomness. */
bool engine_make_nonces(epoch_engine *engine);
/* Room for so many more, as far as `most` allows. False: no memory. */
bool engine_reserve(const epoch_engine *engine, uint64_t more, uint64_t most);
/* A report that waits to be folded: it is new, with a nonce that is known from now on, or late, or has a nonce that was
 * there before (same bytes: duplicate; other bytes: conflicting), and is counted so. *is_new is false for all but the first.
 * SOTTO_E_EPOCH: its epoch has not begun; SOTTO_E_FULL: no room. */
sotto_status engine_sort(const epoch_engine *engine, const uint8_t *frame, journal_counts *counts,
                         bool *is_new);
/* Knows the nonces of frames that were folded before, as far as their epochs are open. *copies were there before, the
 * last of them at *place. False: no memory, or the epoch of the frame at *place has not begun. */
bool engine_know(const epoch_engine *engine, const uint8_t *frames, size_t bytes, uint64_t *copies,
                 uint64_t *place);
void counts_add(journal_counts *to, const journal_counts *more);

/* What is held, or ends with the fallback, is this epoch; and what was decided of it. */
bool engine_is_held(const epoch_engine *engine);
journal_kind engine_decision(const epoch_engine *engine);

/* ---- the end of an epoch, over every store */

/* What came of it. */
typedef enum epoch_outcome {
    EPOCH_DONE,
    EPOCH_TOO_FEW, /* too few of the reports count: nothing happened */
    EPOCH_HELD, /* the watch has an alarm, and the experiment is in quarantine: nothing happened */
    EPOCH_FENCED, /* another publisher published it, or a decision changed: nothing happened */
    EPOCH_CLOSED, /* the experiment cannot go on, and was closed */
    EPOCH_AWAY,   /* the store cannot be written; it says why */
    EPOCH_BROKEN  /* it cannot be done, now or ever */
} epoch_outcome;

typedef struct epoch_ending {
    uint64_t minute;
    /* What engine_end finds. */
    bool holds;           /* it is held from now on */
    bool discards;        /* its reports are given up */
    uint32_t alarms;      /* of the watch: a bit per test */
    journal_kind decided; /* of a held one: JOURNAL_REPORTS if nothing was */
    uint32_t epoch;       /* that opens */
    journal_kind kind;
    double age;         /* of its learn reports, in epochs; 0 if they are given up */
    sotto__harm before; /* as it was until now */
    bool has_batch;     /* a batch of measure rounds is whole */
    journal_history history;
    sotto_status status; /* of the learner's step */
} epoch_ending;

/*
 * What differs between stores. Each function makes durable what it says, all of it or nothing, and answers EPOCH_DONE.
 *
 *     a store that keeps rows     the publish is a row; after that the learner makes its step, as a replay does
 *     a store that keeps models   the learner makes its step on a copy; after that the model is inserted
 */
typedef struct epoch_store {
    bool keeps_models;
    epoch_outcome (*publish)(void *self, const epoch_ending *ending); /* with its history */
    epoch_outcome (*hold)(void *self, const journal_held *held);      /* NULL: that is not kept */
    epoch_outcome (*close)(void *self, const char *why); /* the experiment: EPOCH_CLOSED */
} epoch_store;

/* Ends the epoch if it has enough reports, and the watch or its owner lets it go. EPOCH_BROKEN: `status` says why there
 * was not a step, if it is not SOTTO_OK. Over a store that keeps models learner and results may have changed, unless the answer is
 * EPOCH_DONE, EPOCH_TOO_FEW or EPOCH_HELD: read them again. */
epoch_outcome engine_end(epoch_engine *engine, epoch_ending *ending, const epoch_store *store,
                         void *self);
/* A line in the log about an epoch; `name` is that of `text`, or NULL. */
void epoch_log(sottod_log *log, log_level level, const char *event, const char *id_text,
               uint32_t epoch, const char *name, const char *text);
/* What happened, counted and in the log: a look at an epoch, that it is held, its end. Reports that are more than
 * ENDING_AGE_MAX epochs old, on average, and were not before, have a line of their own. */
#define ENDING_AGE_MAX 4.0
void engine_say(epoch_engine *engine, const epoch_ending *ending, epoch_outcome outcome,
                watch_totals *totals, sottod_log *log, const char *id_text);

/* ---- waiting -------------------------------------------------------------------------------- */

/*
 * How many reports of an experiment were accepted and are in no model yet. Over a journal that several processes share
 * nobody but the database knows: it is asked when somebody wants to know. In a service alone with its journal a report
 * is folded when it is accepted: none waits.
 */

#define WAITING_ASKED_MAX 25u /* experiments in one question */

/* Asks for one. */
void waiting_ask(sottod_experiments *all, sottod_experiment *experiment);
/* Asks for all, or for WAITING_ASKED_MAX of them in turns; at most once a second. */
void waiting_ask_all(sottod_experiments *all, uint64_t now_ms);
/* As it was asked last; false: it is not known. */
bool waiting_reports(const sottod_experiment *experiment, uint64_t *reports);

#endif
