/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_STORE_ROOM_H
#define SOTTO_SERVICE_STORE_ROOM_H

#include "core/core.h"

#include <sotto/core.h>

#include <assert.h>
#include <string.h>

/* ---- journal -------------------------------------------------------------------------------- */

/*
 * The journal: everything that the service must not lose, in one directory. One journal holds all experiments.
 *
 *   experiment   one row per experiment, kept forever: its number, id, terms, the learner before its first
 *                report, labels, state. A deleted experiment keeps number and id, so that neither is used again
 *   journal      one row per experiment in a group commit: the accepted frames, sorted by nonce, and how many
 *                were not accepted; or one publish. Only rows of publishes have a time: the minute
 *   snapshot     one row per experiment: its learner after a certain row of the journal, and its counts
 *   history      one row per publish of an experiment: counts and sums, for curves
 *
 * Two more tables, `ends` and `recovery`, are internal. docs/formats.md has all tables, columns and digests.
 *
 * An experiment's learner is a function of its rows: start from the snapshot, fold the frames and publish in
 * the order of `seq`, and every bit is the same.
 *
 * The rows of an experiment form a chain: digest = SHA-256(digest of its previous row | the row). Rows are
 * removed only from the old end; the chain then begins at the digest of the last removed row (`anchor`).
 *
 * Only one process can use a journal; a second one is refused. A process that opens it for reading sees the
 * journal as it was at that moment, and until it closes it, journal_scrub in the first process is refused. All
 * functions return false if the directory, the file or its content is at fault; journal_fault then names the place. */

#define JOURNAL_DIGEST_BYTES 32u

#define JOURNAL_STATE_MAP(X)                                                                       \
    X(OPEN, "open") X(PAUSED, "paused") X(CLOSED, "closed") X(DELETED, "deleted")
typedef enum journal_state {
#define JOURNAL_STATE_ENUMERATOR(name, text) JOURNAL_##name,
    JOURNAL_STATE_MAP(JOURNAL_STATE_ENUMERATOR)
#undef JOURNAL_STATE_ENUMERATOR
} journal_state;
/* NULL for any other number. */
const char *journal_state_name(journal_state state);

/* Borrowed memory. */
typedef struct journal_bytes {
    const uint8_t *at;
    size_t bytes;
} journal_bytes;

typedef struct journal_experiment {
    uint32_t number; /* 1, 2, …; never used again */
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    journal_state state;
    uint64_t created_minute;
    uint32_t epoch_seconds_min;      /* the shortest epoch */
    uint64_t epoch_reports_min;      /* the fewest reports of an epoch */
    uint64_t epoch_reports_expected; /* as estimated by its owner, for the watch; 0: unknown */
    bool quarantine;                 /* an epoch with an alarm is held back until it is released */
    bool has_report_key;             /* devices must show a key */
    uint8_t report_key[JOURNAL_DIGEST_BYTES]; /* its SHA-256; zeros without one */
    journal_bytes terms;                      /* sotto_terms_encode; empty if deleted */
    journal_bytes start; /* sotto_learner_encode before the first report; empty if deleted */
    /* a JSON object as text, followed by who may send reports (access_text); "" if deleted */
    const char *labels;
    uint64_t mark; /* shared journals: changes whenever the row changes; otherwise 0 */
    /* Shared journals: the row is damaged. Number and id are as read, or 0 if unreadable; the other fields mean
     * nothing. */
    bool damaged;
} journal_experiment;

/* JOURNAL_DISCARD is a publish that drops the reports since the last one: the learner learns nothing from them.
 * JOURNAL_END_FALLBACK is a publish that ends the fallback. */
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
    uint32_t epoch;  /* reports: the newest epoch of its frames; publish: the epoch that opens */
    uint64_t minute; /* of a publish; 0 for reports */
    uint32_t late;   /* frames that were acknowledged but not folded */
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
    uint64_t seq; /* all rows up to this one are included; 0: none */
    journal_counts counts;
    journal_bytes learner; /* sotto_learner_encode */
    /* Shared journals: the published measurements (published_encode), as in the model; otherwise empty. */
    journal_bytes results;
    /* Shared journals: the final snapshot of a closed experiment. It includes reports after the last model, which are
     * not published. */
    bool ended;
} journal_snapshot;

/* The bit for harm in `alarms`, above those of the watch. In a journal_held it means that no epoch is held: the owner
 * has ended the fallback. */
#define JOURNAL_ALARM_HARM (UINT32_C(1) << 5)

/* The format of the tables in every store. A change of the columns is a new format. */
#define JOURNAL_FORMAT 2

/* The counts and sums of history, in the order of its columns and of its digest. Rows of several publishes are added.
 * Tables, digests, thinning and the service's answers follow from this list; engine.c fills the fields. A change of
 * the list is a new format; update docs/formats.md, docs/openapi.json and examples/check_journal.py, which name the
 * columns. */
#define JOURNAL_STATISTIC_MAP(X)                                                                   \
    X(U, u32, uint32_t, publishes)                                                                 \
    X(U, u64, uint64_t, learn)                                                                     \
    X(U, u64, uint64_t, control) /* reports of measure rounds */                                   \
    X(U, u64, uint64_t, follow)                                                                    \
    X(I, i64, int64_t, control_sum) /* the sum of what they say, +1 or -1 each */                  \
    X(I, i64, int64_t, follow_sum)                                                                 \
    X(U, u64, uint64_t, late)                                                                      \
    X(U, u64, uint64_t, duplicate)                                                                 \
    X(U, u64, uint64_t, conflicting)

/* One publish, or several after thinning. */
typedef struct journal_history {
    uint32_t experiment;
    uint32_t epoch;  /* the epoch that opened (for several publishes: the last) */
    uint64_t minute; /* when it was published (for several publishes: the last) */
#define JOURNAL_STATISTIC_FIELD(sign, width, type, name) type name;
    JOURNAL_STATISTIC_MAP(JOURNAL_STATISTIC_FIELD)
#undef JOURNAL_STATISTIC_FIELD
    /* Bits 0 to 15: one bit per test of the watch, and JOURNAL_ALARM_HARM; bits of several publishes are combined by
     * or. Bits 16 to 31: the mean age of learn reports in units of 1/256 epoch, the largest of several publishes. See
     * journal_alarms, journal_age. */
    uint32_t alarms;
} journal_history;

#define JOURNAL_STATISTIC_COLUMN(sign, width, type, name) #name ", "
#define JOURNAL_HISTORY_COLUMNS                                                                    \
    "experiment, epoch, minute, " JOURNAL_STATISTIC_MAP(JOURNAL_STATISTIC_COLUMN) "alarms, digest"

/* A part of the history of one experiment. */
typedef struct journal_span {
    uint32_t experiment;
    uint32_t first, last;  /* both included */
    uint64_t from, before; /* minutes: `from` is included, `before` is not */
    uint32_t rows_max;     /* stop after this many rows */
} journal_span;

typedef struct sottod_journal sottod_journal;

void journal_close(sottod_journal *journal);
/* Why the last function that returned false did so. */
const sotto_fault *journal_fault(const sottod_journal *journal);
/* The same, safe to show to anybody: without file or machine names. NULL: no such text. */
const char *journal_reason(const sottod_journal *journal);
/* The last durable row; 0: none. */
uint64_t journal_last(const sottod_journal *journal);
/* Total size of the files. */
uint64_t journal_disk_bytes(const sottod_journal *journal);
/* The number of commits since it was opened, and the duration of the last one in microseconds. */
uint64_t journal_commits(const sottod_journal *journal, uint64_t *last_us);

/* ---- reading: calls `take` for each row, in order, until it returns false; then the function returns false, too. What
 * take gets is valid only during its call, and take must not call the function that calls it. */

bool journal_read_experiments(sottod_journal *journal,
                              bool (*take)(void *self, const journal_experiment *), void *self);
/* *found is false if there is none. */
bool journal_read_snapshot(sottod_journal *journal, uint32_t experiment,
                           bool (*take)(void *self, const journal_snapshot *), void *self,
                           bool *found);
/* Rows of one experiment, or of all (0), by seq, starting after row `after`. */
bool journal_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                       bool (*take)(void *self, const journal_row *), void *self);
/* In order of epoch: all rows, or a part; reading a part examines at most last - first + 1 rows. */
bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self);
bool journal_read_span(sottod_journal *journal, const journal_span *span,
                       bool (*take)(void *self, const journal_history *), void *self);

/* The next two: only for a journal that is not shared. */
/* The epoch opened by the last publish, according to history; 0: none. */
bool journal_newest(sottod_journal *journal, uint32_t experiment, uint32_t *epoch);
/* Rows are removed in slices, because SQLite writes every page that it removes. A row can be removed if it is in the
 * snapshot and neither it nor an older row has a frame of epoch `oldest_open` or later (a row counts for the newest
 * epoch of its frames; UINT64_MAX: no epoch is open). *to: the last row of the first slice, which has at least
 * JOURNAL_SLICE_BYTES or all removable rows; a single row may be larger. 0: nothing to remove. *more: rows remain for
 * another slice. */
#define JOURNAL_SLICE_BYTES (1u << 20)
#define JOURNAL_ROW_BYTES 512u /* size assumed for a row beside its frames */
bool journal_slice(sottod_journal *journal, uint32_t experiment, uint64_t oldest_open, uint64_t *to,
                   bool *more);

/* ---- writing: begin, any number of changes, commit. Once committed, all changes are durable. If commit or any change
 * returns false, journal_abandon restores the journal as before begin; until then all other changes and commit return
 * false, too. */

bool journal_begin(sottod_journal *journal);
bool journal_commit(sottod_journal *journal);
void journal_abandon(sottod_journal *journal);
/* Ends a transaction. If `done`, commits it; if that fails or `done` is false, takes everything back and returns
 * false. */
static inline bool journal_finish(sottod_journal *journal, bool done)
{
    if (done && journal_commit(journal)) return true;
    journal_abandon(journal);
    return false;
}

/* Sets experiment->number and mark. */
bool journal_add_experiment(sottod_journal *journal, journal_experiment *experiment);
/* DELETED also removes the experiment's terms, start, labels and snapshot, and the first slice of its rows and
 * history. journal_tidy removes the other slices, also after the journal was closed and opened again. */
bool journal_set_state(sottod_journal *journal, uint32_t experiment, journal_state state);
bool journal_set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine);
/* Who may send reports: `labels` including the access text (access_text_write), and the SHA-256 of the first report
 * key (NULL: none). */
bool journal_set_access(sottod_journal *journal, uint32_t experiment, const char *labels,
                        const uint8_t *report_key);
/* Sets row->seq. */
bool journal_append(sottod_journal *journal, journal_row *row);
/* snapshot->seq: between that of the previous snapshot and the last row. */
bool journal_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot);
/* Replaces a row of the same epoch, if there is one. */
bool journal_add_history(sottod_journal *journal, const journal_history *history);
/* Does one slice of overdue work: first removes what is left of deleted experiments; then, for publishes before this
 * minute, replaces rows per publish by one row per hour. *more: call again. */
#define JOURNAL_SLICE_ROWS 4096u /* of history; more if a single minute has more */
bool journal_tidy(sottod_journal *journal, uint64_t before_minute, bool *more);
/* Removes the rows of an experiment up to `seq`, which must be in its snapshot. The deleted bytes are overwritten. */
bool journal_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq);

/* ---- outside of a transaction */

/* Tests whether the disk accepts commits, by rewriting something that the file already holds. In a shared journal,
 * after a failed commit, it also appends a row like a failed one and takes it back. */
bool journal_probe(sottod_journal *journal);

/* Truncates the log and overwrites the traces of removed rows that SQLite leaves in the file. Refused while another
 * process reads; try again later. */
bool journal_scrub(sottod_journal *journal);

/* ---- a journal that several processes share (src/service/store/postgres): all of them append reports, and one at a
 * time folds and publishes them. Snapshots are then those of publishes, with the epoch as `seq`; after the last of them
 * there may be one more of the same epoch, with `ended`. */

/* True: this process is the only user of the journal: it folds and publishes what it appends, and removes rows that
 * are no longer needed. False: a publisher does this for all processes that append. */
bool journal_publishes_here(const sottod_journal *journal);
/* Becomes readable when another process changes something; -1 if the journal is not shared or not connected. */
int journal_fd(const sottod_journal *journal);
/* An epoch that the watch holds back, and the owner's decision about it. */
typedef struct journal_held {
    uint32_t experiment;
    uint32_t epoch;
    uint32_t alarms;  /* one bit per test of the watch */
    uint64_t reports; /* reports of the epoch when it was held; 0: not held */
    /* JOURNAL_PUBLISH: released; JOURNAL_DISCARD: discarded; JOURNAL_REPORTS: undecided */
    journal_kind decision;
} journal_held;
/* What can be read cheaply: state and newest epoch of every experiment. */
typedef struct journal_news {
    uint32_t experiment;
    journal_state state;
    bool quarantine;
    uint32_t epoch;    /* of its newest snapshot; 0: none */
    journal_held held; /* for that epoch */
    bool ended;        /* its final snapshot exists (journal_snapshot.ended) */
    uint64_t mark;     /* as in journal_experiment */
    /* How often the publisher folded the waiting reports of that epoch and found too few, and how many of them count;
     * 0: never. */
    uint64_t looks, distinct;
} journal_news;
/* Of one experiment, or of all (0). This function and journal_end_fallback: only for a shared journal. */
bool journal_read_news(sottod_journal *journal, uint32_t only,
                       bool (*take)(void *self, const journal_news *), void *self);
/* A new number means a new connection: commits acknowledged before it may be lost, for example because the database
 * was restored or a standby took over. Constant for a journal of one machine. */
uint64_t journal_session(const sottod_journal *journal);
/* How many acknowledged reports of each of these experiments are not yet counted in a snapshot. */
bool journal_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                          uint64_t *reports);
/* In a transaction: stores the owner's decision on a held epoch, replacing an earlier one. *held is false, and
 * nothing changes, if that epoch is not (or no longer) held or the experiment is not open. The publisher carries the
 * decision out once; until then it can be changed. */
bool journal_decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                    journal_kind decision, bool *held);
/* In a transaction: the fallback of an experiment ends with the open epoch. *done is false, and nothing changes, if
 * that epoch is held or the experiment is not open. */
bool journal_end_fallback(sottod_journal *journal, uint32_t experiment, bool *done);
/* True if experiments, states or snapshots may have changed since the last call. Does not wait. */
bool journal_changed(sottod_journal *journal);
/* The next experiment of which only the newest snapshot changed since the last call; journal_changed does not report
 * such changes. False: none. */
bool journal_changed_one(sottod_journal *journal, uint32_t *experiment);

/* ---- access_text ---------------------------------------------------------------------------- */

/* Who may send reports. This text follows the labels in an experiment's column `labels`. Its format is at the head of
 * access_text.c. */

#define ACCESS_ORIGINS_MAX 32u
#define ACCESS_ORIGIN_BYTES_MAX 270u /* a scheme, a name of 253 letters, a port */
#define ACCESS_ORIGINS_BYTES (ACCESS_ORIGINS_MAX * (ACCESS_ORIGIN_BYTES_MAX + 1u) + 1u)
/* For everything that may follow the labels. */
#define ACCESS_TEXT_BYTES (ACCESS_ORIGINS_BYTES + 2u * JOURNAL_DIGEST_BYTES + 32u)

typedef struct access_text {
    size_t labels_bytes;                /* the labels are the first part of the text */
    char origins[ACCESS_ORIGINS_BYTES]; /* separated by one blank; "": none, "*": any */
    bool has_key; /* a second key beside report_key, during a change of keys */
    uint8_t key[JOURNAL_DIGEST_BYTES];
} access_text;

/* False if the text after the labels does not have the format of access_text.c. The labels are not checked. */
bool access_text_read(const char *text, access_text *out);
/* Writes the text that follows the labels and returns its length. `key` may be NULL. */
size_t access_text_write(const char *origins, const uint8_t *key, char out[ACCESS_TEXT_BYTES]);

/* One origin, as browsers send it; "*" does not fit. */
bool access_origin_fits(const char *text, size_t bytes);
/* "*", or up to 32 different origins separated by one blank, or nothing. */
bool access_origins_fit(const char *origins);
/* Whether `origin` is in the list. */
bool access_origins_have(const char *origins, const char *origin, size_t bytes);

/* ---- digest_parts --------------------------------------------------------------------------- */

/* Building blocks of row digests in all stores. Integers are little-endian; bytes(x) is the length of x as u64, then
 * x. */

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

/* Such a digest begins with the name of its table. */
static inline void journal__begin_digest(sotto__digest *digest, const char *name)
{
    sotto__digest_begin(digest);
    sotto__digest_add(digest, name, strlen(name));
}

/* ---- hours ---------------------------------------------------------------------------------- */

/*
 * Thinning of history: consecutive rows of one experiment within one hour become one row. Rows of another hour
 * between two rows of this one stay as they are: the clock may jump. */

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

/* The field `alarms` of history: one bit per test of the watch, and a mean age in epochs, 0 to 16. */
uint32_t journal_alarms(uint32_t tests, double age);
double journal_age(uint32_t alarms);
/* Adds the next row: the sum takes its epoch and the later of the two minutes. */
void journal_history_add(journal_history *sum, const journal_history *row);
/* The first minute of the hour that `minute` is in. */
uint64_t journal_hour_start(uint64_t minute);
/* Gathers rows, sorted by experiment and epoch, into a journal_hours; `take` for journal_read_history. */
bool journal_hours_gather(void *self, const journal_history *row);
void journal_hours_free(journal_hours *hours);

/* ---- journal_digest ------------------------------------------------------------------------- */

/* The digests of the journal's rows. Their input is specified at the head of digest.c. */

/* Where the chain of an experiment begins and ends. */
typedef struct journal_ends {
    uint64_t anchor_seq;                  /* the last removed row; 0: none */
    uint64_t head_seq;                    /* the last written row; 0: none */
    uint8_t anchor[JOURNAL_DIGEST_BYTES]; /* their digests; zeros if there is none */
    uint8_t head[JOURNAL_DIGEST_BYTES];
} journal_ends;

/* One recovery that gave up rows after damage. */
typedef struct journal_recovery {
    uint32_t number;  /* 1, 2, … */
    uint64_t kept_to; /* rows of damaged experiments after this one were given up */
    uint64_t last;    /* the largest number that any row had; never used again */
} journal_recovery;

/* `before`: the digest of the previous row of the experiment; may be `out`. */
void journal__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], const journal_row *row,
                         uint8_t out[JOURNAL_DIGEST_BYTES]);
/* These two differ between formats. */
void journal__digest_experiment(const journal_experiment *experiment,
                                uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_history(const journal_history *history, uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_ends(uint32_t experiment, const journal_ends *ends,
                          uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_snapshot(const journal_snapshot *snapshot, uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_recovery(const journal_recovery *recovery, uint8_t out[JOURNAL_DIGEST_BYTES]);

/* ---- journal_table -------------------------------------------------------------------------- */

/* The functions above that every store implements: result, name, parameters, arguments. The table of a store and the
 * forwarding functions in store.c are generated from these lists. */
#define JOURNAL_CALL_MAP(X)                                                                        \
    X(const sotto_fault *, fault, (const sottod_journal *journal), (journal))                      \
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
    X(bool, scrub, (sottod_journal * journal), (journal))
/* Only those that publish here; NULL in other tables. */
#define JOURNAL_ALONE_MAP(X)                                                                       \
    X(bool, newest, (sottod_journal * journal, uint32_t experiment, uint32_t * epoch),             \
      (journal, experiment, epoch))                                                                \
    X(bool, slice,                                                                                 \
      (sottod_journal * journal, uint32_t experiment, uint64_t oldest_open, uint64_t * to,         \
       bool *more),                                                                                \
      (journal, experiment, oldest_open, to, more))
/* Only the others. */
#define JOURNAL_SHARED_MAP(X)                                                                      \
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
    JOURNAL_ALONE_MAP(JOURNAL_CALL_FIELD)
    JOURNAL_SHARED_MAP(JOURNAL_CALL_FIELD)
#undef JOURNAL_CALL_FIELD
    /* NULL if the store publishes here: then no other process can change anything, and store.c answers. */
    bool (*read_waiting)(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                         uint64_t *reports);
    bool (*decide)(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                   journal_kind decision, bool *held);
    int (*fd)(const sottod_journal *journal);
    bool (*changed)(sottod_journal *journal);
    uint64_t (*session)(const sottod_journal *journal);
    bool (*changed_one)(sottod_journal *journal, uint32_t *experiment);
} journal_table;

/* The first member of each store's own struct. */
struct sottod_journal {
    const journal_table *table;
};

#endif
