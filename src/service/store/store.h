/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_STORE_ROOM_H
#define SOTTO_SERVICE_STORE_ROOM_H

#include "core/core.h"

#include <sotto/core.h>

#include <assert.h>
#include <string.h>

/* ---- journal -------------------------------------------------------------------------------- */

/*
 * The journal: what the service must not lose, in one directory. One journal for all experiments.
 *
 *   experiment   one row per experiment, for good: its number, id, terms, the learner before its first
 *                report, labels, state. A deleted one keeps number and id, so that neither is used again
 *   journal      one row per experiment in a group commit: the frames that were taken, sorted by nonce,
 *                and how many were not; or one publish. Rows have no time but the minute of a publish
 *   snapshot     one row per experiment: its learner after a row of the journal, and its counts
 *   history      one row per publish of an experiment: counts and sums, for curves
 *
 * and two of its own, `ends` and `recovery`: docs/formats.md has all tables, columns and digests.
 *
 * An experiment's learner is a function of its rows: start from the snapshot, take the frames and publish
 * in the order of `seq`, and every bit is the same.
 *
 * Rows of an experiment are chained: digest = SHA-256(digest of its row before | the row). Rows are
 * removed from the old end only; the chain then begins at the digest of the last one removed (`anchor`).
 *
 * A journal is used by one process: a second one is refused. One that only reads sees the journal as it
 * was when it was opened; while it is open, journal_scrub of the other one is refused. All functions answer false, with a sentence
 * that names the place, when the directory, the file or its content is at fault.
 */

#define JOURNAL_DIGEST_BYTES 32u

#define JOURNAL_STATE_MAP(X)                                                                       \
    X(OPEN, "open") X(PAUSED, "paused") X(CLOSED, "closed") X(DELETED, "deleted")
typedef enum journal_state {
#define JOURNAL_STATE_ENUMERATOR(name, text) JOURNAL_##name,
    JOURNAL_STATE_MAP(JOURNAL_STATE_ENUMERATOR)
#undef JOURNAL_STATE_ENUMERATOR
} journal_state;
/* NULL for another number. */
const char *journal_state_name(journal_state state);

/* A piece of memory that belongs to someone else. */
typedef struct journal_bytes {
    const uint8_t *at;
    size_t bytes;
} journal_bytes;

typedef struct journal_experiment {
    uint32_t number; /* 1, 2, …; never used again */
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    journal_state state;
    uint64_t created_minute;
    uint32_t epoch_seconds_min;      /* how long an epoch lasts at least */
    uint64_t epoch_reports_min;      /* and how many reports it has */
    uint64_t epoch_reports_expected; /* as its owner says; 0: not said. For the watch */
    bool quarantine;                 /* an epoch with an alarm is held back until it is released */
    bool has_report_key;             /* devices must show a key */
    uint8_t report_key[JOURNAL_DIGEST_BYTES]; /* its SHA-256; zeros without one */
    journal_bytes terms;                      /* sotto_terms_encode; empty if deleted */
    journal_bytes start; /* sotto_learner_encode before the first report; empty if deleted */
    const char
        *labels;   /* a JSON object, as text, and who may send reports (store.h); "" if deleted */
    uint64_t mark; /* read from a shared journal: another one whenever the row is; else 0 */
    bool
        damaged; /* read from a shared journal: its row cannot be right. Number and id are as they stand there, or 0 if
                   * they cannot be read; nothing else is known */
} journal_experiment;

/* A discard is a publish that gives up the reports since the last one: the learner learns nothing from them. Of the last
 * kind is a publish with which the fallback that is served ends. */
typedef enum journal_kind {
    JOURNAL_REPORTS,
    JOURNAL_PUBLISH,
    JOURNAL_DISCARD,
    JOURNAL_END_FALLBACK,
} journal_kind;

typedef struct journal_row {
    uint64_t seq; /* 1, 2, … over all experiments; given by journal_append */
    uint32_t experiment;
    journal_kind kind;
    uint32_t epoch;  /* reports: the newest epoch of its frames; publish: the one that opens */
    uint64_t minute; /* of a publish; 0 for reports */
    uint32_t late;   /* frames that were acknowledged and not taken */
    uint32_t duplicate;
    uint32_t conflicting;
    journal_bytes frames; /* whole report frames of the experiment, sorted by nonce */
} journal_row;

/* Frames since the experiment began. acknowledged = folded + late + duplicate + conflicting. */
typedef struct journal_counts {
    uint64_t folded;
    uint64_t late;
    uint64_t duplicate;
    uint64_t conflicting;
} journal_counts;

typedef struct journal_snapshot {
    uint32_t experiment;
    uint64_t seq; /* all rows up to this one are in it; 0: none */
    journal_counts counts;
    journal_bytes learner; /* sotto_learner_encode */
    journal_bytes
        results; /* of a shared journal: the published measurements (published_encode), as in
                            * the model; else empty */
    bool ended;  /* of a shared journal: of a closed experiment, with its reports after that model,
                * which are not published */
} journal_snapshot;

/* The bit of harm in `alarms`, after those of the watch. In a row of journal_held it says that nothing is held: the
 * owner has ended the fallback that is served. */
#define JOURNAL_ALARM_HARM (UINT32_C(1) << 5)

/* Of the tables of every store. Another list of columns is another format. */
#define JOURNAL_FORMAT 2

/* The counts and sums of history, in the order of its columns and of its digest: of several publishes they are added.
 * Tables, digests, thinning and the answers of the service follow from this list; engine.c fills what it names. Another
 * list is another format; docs/formats.md, docs/openapi.json and examples/check_journal.py name its columns, too. */
#define JOURNAL_STATISTIC_MAP(X)                                                                   \
    X(U, u32, uint32_t, publishes)                                                                 \
    X(U, u64, uint64_t, learn)                                                                     \
    X(U, u64, uint64_t, control) /* reports of measure rounds, */                                  \
    X(U, u64, uint64_t, follow)                                                                    \
    X(I, i64, int64_t, control_sum) /* and what they say: +1 or -1 each */                         \
    X(I, i64, int64_t, follow_sum)                                                                 \
    X(U, u64, uint64_t, late)                                                                      \
    X(U, u64, uint64_t, duplicate)                                                                 \
    X(U, u64, uint64_t, conflicting)

/* Of one publish, or of several once it was thinned. */
typedef struct journal_history {
    uint32_t experiment;
    uint32_t epoch;  /* that opened (the last of several) */
    uint64_t minute; /* of the publish (the last of several) */
#define JOURNAL_STATISTIC_FIELD(sign, width, type, name) type name;
    JOURNAL_STATISTIC_MAP(JOURNAL_STATISTIC_FIELD)
#undef JOURNAL_STATISTIC_FIELD
    /* Bits 0 to 15, of the watch: a bit per test, and JOURNAL_ALARM_HARM; all of several publishes together. Bits 16 to
     * 31: the mean age of the learn reports in 1/256 epochs; the largest of several. journal_alarms, journal_age */
    uint32_t alarms;
} journal_history;

#define JOURNAL_STATISTIC_COLUMN(sign, width, type, name) #name ", "
#define JOURNAL_HISTORY_COLUMNS                                                                    \
    "experiment, epoch, minute, " JOURNAL_STATISTIC_MAP(JOURNAL_STATISTIC_COLUMN) "alarms, digest"

/* A part of the history of one experiment. */
typedef struct journal_span {
    uint32_t experiment;
    uint32_t first, last;  /* epochs, both included */
    uint64_t from, before; /* minutes: the first one, and the one behind the last */
    uint32_t rows_max;     /* the first ones */
} journal_span;

typedef struct sottod_journal sottod_journal;

void journal_close(sottod_journal *journal);
/* Why the last function that answered false did. */
const char *journal_fault(const sottod_journal *journal);
/* The same in words for anybody: no name of a file or a machine. NULL: there are none. */
const char *journal_reason(const sottod_journal *journal);
/* The last row that is durable; 0: none. */
uint64_t journal_last(const sottod_journal *journal);
/* Bytes of the files. */
uint64_t journal_disk_bytes(const sottod_journal *journal);
/* How many commits there were since it was opened, and how many microseconds the last one took. */
uint64_t journal_commits(const sottod_journal *journal, uint64_t *last_us);

/* ---- reading: `take` is called for each, in order; it stops, and the answer is false, when take does.
 * What take is given is valid during the call only. It must not call the function that it is called by. */

bool journal_read_experiments(sottod_journal *journal,
                              bool (*take)(void *self, const journal_experiment *), void *self);
/* *found is false if there is none. */
bool journal_read_snapshot(sottod_journal *journal, uint32_t experiment,
                           bool (*take)(void *self, const journal_snapshot *), void *self,
                           bool *found);
/* Rows of one experiment, or of all (0), by seq, after the row `after`. */
bool journal_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                       bool (*take)(void *self, const journal_row *), void *self);
/* By epoch: all of it, or a part, for which no more than last - first + 1 rows are looked at. */
bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self);
bool journal_read_span(sottod_journal *journal, const journal_span *span,
                       bool (*take)(void *self, const journal_history *), void *self);

/* The next two are of a journal that is not shared. */
/* The epoch that the last publish opened, by its history; 0: there is none. */
bool journal_newest(sottod_journal *journal, uint32_t experiment, uint32_t *epoch);
/* Rows are removed in slices, since SQLite writes every page of what it removes. Nobody needs those that are in the
 * snapshot, from the oldest on, up to the first with a frame of epoch `oldest_open` or later (a row counts for the newest
 * epoch of its frames; UINT64_MAX: no epoch is open). *to: the last row of the first slice, JOURNAL_SLICE_BYTES at least, or
 * all; one row may be longer. 0: there is none. *more: it is not all. */
#define JOURNAL_SLICE_BYTES (1u << 20)
#define JOURNAL_ROW_BYTES 512u /* that a row weighs beside its frames */
bool journal_slice(sottod_journal *journal, uint32_t experiment, uint64_t oldest_open, uint64_t *to,
                   bool *more);

/* ---- writing: begin, any number of changes, commit. What is committed is durable; if commit or any
 * change answers false, journal_abandon takes all of it back, and the journal is as before begin. Until then
 * all other changes and commit answer false, too. */

bool journal_begin(sottod_journal *journal);
bool journal_commit(sottod_journal *journal);
void journal_abandon(sottod_journal *journal);
/* Ends a transaction: all of it is durable if it was `done` and can be committed; otherwise none of it happened, and the
 * answer is false. */
static inline bool journal_finish(sottod_journal *journal, bool done)
{
    if (done && journal_commit(journal)) return true;
    journal_abandon(journal);
    return false;
}

/* Sets experiment->number and mark. */
bool journal_add_experiment(sottod_journal *journal, journal_experiment *experiment);
/* DELETED also removes terms, start, labels and snapshot of the experiment, and the first slice of its rows and history.
 * journal_tidy removes the others, also after the journal was closed and opened again. */
bool journal_set_state(sottod_journal *journal, uint32_t experiment, journal_state state);
bool journal_set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine);
/* Who may send reports: `labels` with what stands behind them, and the SHA-256 of the first report key; NULL: none. */
bool journal_set_access(sottod_journal *journal, uint32_t experiment, const char *labels,
                        const uint8_t *report_key);
/* Sets row->seq. */
bool journal_append(sottod_journal *journal, journal_row *row);
/* Of a row from that of the snapshot before to the last one. */
bool journal_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot);
/* Takes the place of one of the same epoch, if there is one. */
bool journal_add_history(sottod_journal *journal, const journal_history *history);
/* One slice of what is overdue: what is left of deleted experiments; then, for publishes before this minute, one row
 * per hour instead of one per publish. *more: there may be more to do. */
#define JOURNAL_SLICE_ROWS 4096u /* of history; one minute may have more */
bool journal_tidy(sottod_journal *journal, uint64_t before_minute, bool *more);
/* Removes the rows of an experiment up to `seq`, which must be in its snapshot. Deleted bytes are
 * overwritten. */
bool journal_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq);

/* ---- outside of a transaction */

/* Writes what is in the file already. True: it is durable, so that the disk takes commits. Of a shared journal, after a
 * commit that failed, it also appends a row like one of those, and takes it back. */
bool journal_probe(sottod_journal *journal);

/* Cuts the log and overwrites what SQLite left of removed rows, so that they are in no file. Refused while
 * another process reads: try again. */
bool journal_scrub(sottod_journal *journal);

/* ---- a journal that several processes share (src/service/store/postgres): each appends reports, one at a time
 * folds and publishes. Snapshots are then those of publishes, with the epoch as `seq`; after that of the last publish
 * there may be one more, of the same epoch, that has `ended`. */

/* The process that opened the journal is the only one: it folds what it appends, publishes it, and removes what nobody
 * needs. False: a publisher does, for all processes that append. */
bool journal_publishes_here(const sottod_journal *journal);
/* Becomes readable when another process changed something; -1 if it is not shared, or not connected. */
int journal_fd(const sottod_journal *journal);
/* An epoch that the watch holds back, and what somebody decided of it. */
typedef struct journal_held {
    uint32_t experiment;
    uint32_t epoch;
    uint32_t alarms;  /* of the watch: a bit per test */
    uint64_t reports; /* that the epoch had at that look; 0: no epoch is held */
    journal_kind
        decision; /* JOURNAL_PUBLISH: released; JOURNAL_DISCARD; JOURNAL_REPORTS: none yet */
} journal_held;
/* What is cheap to ask: state and newest epoch of every experiment. */
typedef struct journal_news {
    uint32_t experiment;
    journal_state state;
    bool quarantine;
    uint32_t epoch;    /* of its newest snapshot; 0: it has none */
    journal_held held; /* of that epoch */
    bool ended;        /* there is a snapshot that says so */
    uint64_t mark;     /* of the row, as in journal_experiment */
    /* How often the publisher looked at what waits for that epoch and found too few, and how many count; 0: never. */
    uint64_t looks, distinct;
} journal_news;
/* Of one experiment, or of all (0). Of a shared journal alone, as journal_end_fallback. */
bool journal_read_news(sottod_journal *journal, uint32_t only,
                       bool (*take)(void *self, const journal_news *), void *self);
/* Another number means that another connection answers now: what was committed before may be lost there, as when the
 * database was restored, or a standby took over. A journal of one machine has one for good. */
uint64_t journal_session(const sottod_journal *journal);
/* How many reports of each of these experiments were acknowledged and are counted in no snapshot yet. */
bool journal_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                          uint64_t *reports);
/* In a transaction: what is to be done with an epoch that is held, in place of what was decided before.
 * *held is false, and nothing is changed, if that epoch is not held (any more), or the experiment is not open.
 * The publisher does it, once; until then it can be decided otherwise. */
bool journal_decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                    journal_kind decision, bool *held);
/* In a transaction: the fallback that an experiment serves ends with the epoch that is open. *done is false, and
 * nothing is changed, if that epoch is held, or the experiment is not open. */
bool journal_end_fallback(sottod_journal *journal, uint32_t experiment, bool *done);
/* True if experiments, states or snapshots may have changed since the last call. Does not wait. */
bool journal_changed(sottod_journal *journal);
/* The next experiment of which only the newest snapshot changed, since it was asked for last: journal_changed is not
 * true for that. False: there is none. */
bool journal_changed_one(sottod_journal *journal, uint32_t *experiment);

/* ---- access_text ---------------------------------------------------------------------------- */

/* Who may send reports, as the column `labels` of an experiment has it, behind the labels. The format stands at the head
 * of access_text.c. */

#define ACCESS_ORIGINS_MAX 32u
#define ACCESS_ORIGIN_BYTES_MAX 270u /* a scheme, a name of 253 letters, a port */
#define ACCESS_ORIGINS_BYTES (ACCESS_ORIGINS_MAX * (ACCESS_ORIGIN_BYTES_MAX + 1u) + 1u)
/* Of all that may stand behind the labels. */
#define ACCESS_TEXT_BYTES (ACCESS_ORIGINS_BYTES + 2u * JOURNAL_DIGEST_BYTES + 32u)

typedef struct access_text {
    size_t labels_bytes;                /* at the beginning of the text */
    char origins[ACCESS_ORIGINS_BYTES]; /* one blank between; "" none, "*" any */
    bool has_key;                       /* a second one beside report_key, while that is renewed */
    uint8_t key[JOURNAL_DIGEST_BYTES];
} access_text;

/* False if what is behind the labels is not as access_text.c says. The labels are not looked at. */
bool access_text_read(const char *text, access_text *out);
/* What stands behind the labels; how many bytes. `key` may be NULL. */
size_t access_text_write(const char *origins, const uint8_t *key, char out[ACCESS_TEXT_BYTES]);

/* One origin, as browsers send it; not "*". */
bool access_origin_fits(const char *text, size_t bytes);
/* "*", or up to 32 different origins with one blank between; or nothing. */
bool access_origins_fit(const char *origins);
/* Whether a page of this origin is among them. */
bool access_origins_have(const char *origins, const char *origin, size_t bytes);

/* ---- digest_parts --------------------------------------------------------------------------- */

/* What digests of rows are made of, in every kind of journal. Integers are little-endian; bytes(x) is the length
 * of x as u64, then x. */

static_assert(JOURNAL_DIGEST_BYTES == SOTTO__DIGEST_BYTES, "one SHA-256");

static inline void journal__add_u32(sotto__digest *digest, uint32_t value)
{
    uint8_t bytes[4];
    sotto__put_u32(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static inline void journal__add_u64(sotto__digest *digest, uint64_t value)
{
    uint8_t bytes[8];
    sotto__put_u64(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static inline void journal__add_i64(sotto__digest *digest, int64_t value)
{
    journal__add_u64(digest, (uint64_t)value);
}

static inline void journal__add_bytes(sotto__digest *digest, const void *at, size_t bytes)
{
    journal__add_u64(digest, bytes);
    if (bytes > 0) sotto__digest_add(digest, at, bytes);
}

/* Begins with the name of a table. */
static inline void journal__begin_digest(sotto__digest *digest, const char *name)
{
    sotto__digest_begin(digest);
    sotto__digest_add(digest, name, strlen(name));
}

/* ---- hours ---------------------------------------------------------------------------------- */

/*
 * History, thinned: rows of one experiment that follow each other within one hour become one. Rows of another
 * hour between two of this one stay as they are: the clock may jump.
 */

#define JOURNAL_HOUR_MIN 60u

typedef struct journal_hour {
    journal_history sum;
    uint32_t first_epoch;
    uint32_t rows;
} journal_hour;

typedef struct journal_hours {
    journal_hour *at;
    size_t count, room;
    bool no_memory; /* the reason why gathering ended */
} journal_hours;

/* The field `alarms` of history: tests of the watch, a bit each, and a mean age in epochs, 0 to 16. */
uint32_t journal_alarms(uint32_t tests, double age);
double journal_age(uint32_t alarms);
/* Adds a row that follows: the sum has its epoch, and the later minute. */
void journal_history_add(journal_history *sum, const journal_history *row);
/* The first minute of the hour of this one. */
uint64_t journal_hour_start(uint64_t minute);
/* Takes rows, sorted by experiment and epoch, into a journal_hours; for journal_read_history. */
bool journal_hours_gather(void *self, const journal_history *row);
void journal_hours_free(journal_hours *hours);

/* ---- journal_digest ------------------------------------------------------------------------- */

/* The digests of the journal's rows. Their bytes are specified at the head of digest.c. */

/* Where the rows of an experiment begin and end. */
typedef struct journal_ends {
    uint64_t anchor_seq;                  /* the last row that was removed; 0: none */
    uint64_t head_seq;                    /* the last row that was written; 0: none */
    uint8_t anchor[JOURNAL_DIGEST_BYTES]; /* their digests; zeros if there is none */
    uint8_t head[JOURNAL_DIGEST_BYTES];
} journal_ends;

/* One time that rows were given up after damage. */
typedef struct journal_recovery {
    uint32_t number;  /* 1, 2, … */
    uint64_t kept_to; /* rows of damaged experiments after this one were given up */
    uint64_t last;    /* the last number that any row had had; never used again */
} journal_recovery;

/* `before` is the digest of the row before, of the same experiment. It may be `out`. */
void journal__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], const journal_row *row,
                         uint8_t out[JOURNAL_DIGEST_BYTES]);
/* Formats differ in these two. */
void journal__digest_experiment(const journal_experiment *experiment,
                                uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_history(const journal_history *history, uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_ends(uint32_t experiment, const journal_ends *ends,
                          uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_snapshot(const journal_snapshot *snapshot, uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_recovery(const journal_recovery *recovery, uint8_t out[JOURNAL_DIGEST_BYTES]);

/* ---- journal_table -------------------------------------------------------------------------- */

/* The functions above that every store answers for itself: result, name, parameters, arguments. The table of a store
 * and the functions of store.c that call it follow from this list. */
#define JOURNAL_CALL_MAP(X)                                                                        \
    X(const char *, fault, (const sottod_journal *journal), (journal))                             \
    X(const char *, reason, (const sottod_journal *journal), (journal))                            \
    X(uint64_t, last, (const sottod_journal *journal), (journal))                                  \
    X(uint64_t, disk_bytes, (const sottod_journal *journal), (journal))                            \
    X(uint64_t, commits, (const sottod_journal *journal, uint64_t *last_us), (journal, last_us))   \
    X(bool, read_experiments,                                                                      \
      (sottod_journal * journal, bool (*take)(void *, const journal_experiment *), void *self),    \
      (journal, take, self))                                                                       \
    X(bool, read_snapshot,                                                                         \
      (sottod_journal * journal, uint32_t experiment,                                              \
       bool (*take)(void *, const journal_snapshot *), void *self, bool *found),                   \
      (journal, experiment, take, self, found))                                                    \
    X(bool, read_rows,                                                                             \
      (sottod_journal * journal, uint32_t experiment, uint64_t after,                              \
       bool (*take)(void *, const journal_row *), void *self),                                     \
      (journal, experiment, after, take, self))                                                    \
    X(bool, read_span,                                                                             \
      (sottod_journal * journal, const journal_span *span,                                         \
       bool (*take)(void *, const journal_history *), void *self),                                 \
      (journal, span, take, self))                                                                 \
    X(bool, begin, (sottod_journal * journal), (journal))                                          \
    X(bool, commit, (sottod_journal * journal), (journal))                                         \
    X(bool, add_experiment, (sottod_journal * journal, journal_experiment * experiment),           \
      (journal, experiment))                                                                       \
    X(bool, set_state, (sottod_journal * journal, uint32_t experiment, journal_state state),       \
      (journal, experiment, state))                                                                \
    X(bool, set_quarantine, (sottod_journal * journal, uint32_t experiment, bool quarantine),      \
      (journal, experiment, quarantine))                                                           \
    X(bool, set_access,                                                                            \
      (sottod_journal * journal, uint32_t experiment, const char *labels,                          \
       const uint8_t *report_key),                                                                 \
      (journal, experiment, labels, report_key))                                                   \
    X(bool, append, (sottod_journal * journal, journal_row * row), (journal, row))                 \
    X(bool, put_snapshot, (sottod_journal * journal, const journal_snapshot *snapshot),            \
      (journal, snapshot))                                                                         \
    X(bool, add_history, (sottod_journal * journal, const journal_history *history),               \
      (journal, history))                                                                          \
    X(bool, tidy, (sottod_journal * journal, uint64_t before_minute, bool *more),                  \
      (journal, before_minute, more))                                                              \
    X(bool, remove_rows, (sottod_journal * journal, uint32_t experiment, uint64_t seq),            \
      (journal, experiment, seq))                                                                  \
    X(bool, probe, (sottod_journal * journal), (journal))                                          \
    X(bool, scrub, (sottod_journal * journal), (journal))                                          \
    /* NULL in the table of a store that does not publish here */                                  \
    X(bool, newest, (sottod_journal * journal, uint32_t experiment, uint32_t * epoch),             \
      (journal, experiment, epoch))                                                                \
    X(bool, slice,                                                                                 \
      (sottod_journal * journal, uint32_t experiment, uint64_t oldest_open, uint64_t * to,         \
       bool *more),                                                                                \
      (journal, experiment, oldest_open, to, more))                                                \
    /* NULL in the table of a store that publishes here */                                         \
    X(bool, read_news,                                                                             \
      (sottod_journal * journal, uint32_t only, bool (*take)(void *, const journal_news *),        \
       void *self),                                                                                \
      (journal, only, take, self))                                                                 \
    X(bool, end_fallback, (sottod_journal * journal, uint32_t experiment, bool *done),             \
      (journal, experiment, done))

/* One kind of store. */
typedef struct journal_table {
    bool publishes_here; /* journal_publishes_here */
    void (*close)(sottod_journal *journal);
    void (*abandon)(sottod_journal *journal);
#define JOURNAL_CALL_FIELD(type, name, parameters, arguments) type(*name) parameters;
    JOURNAL_CALL_MAP(JOURNAL_CALL_FIELD)
#undef JOURNAL_CALL_FIELD
    /* NULL in the table of a store that publishes here, whose only process knows what it did: store.c then answers. */
    bool (*read_waiting)(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                         uint64_t *reports);
    bool (*decide)(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                   journal_kind decision, bool *held);
    int (*fd)(const sottod_journal *journal);
    bool (*changed)(sottod_journal *journal);
    uint64_t (*session)(const sottod_journal *journal);
    bool (*changed_one)(sottod_journal *journal, uint32_t *experiment);
} journal_table;

/* The first member of each kind's own struct. */
struct sottod_journal {
    const journal_table *table;
};

#endif
