/*
 * The journal: what the service must not lose, in one folder. One journal for all experiments.
 *
 *   experiment   one row per experiment, for good: its number, id, terms, the learner before its first
 *                report, labels, state. A deleted one keeps number and id, so that neither is used again
 *   journal      one row per experiment in a group commit: the frames that were taken, sorted by nonce,
 *                and how many were not; or one publish. Rows have no time but the minute of a publish
 *   snapshot     one row per experiment: its learner after a row of the journal, and its counts
 *   history      one row per publish of an experiment: counts and sums, for curves
 *
 * and two of its own, `ends` and `recovery`: docs/journal.md has all tables, columns and digests.
 *
 * An experiment's learner is a function of its rows: start from the snapshot, take the frames and publish
 * in the order of `seq`, and every bit is the same.
 *
 * Rows of an experiment are chained: digest = SHA-256(digest of its row before | the row). Rows are
 * removed from the old end only; the chain then begins at the digest of the last one removed (`anchor`).
 *
 * A journal is used by one process: a second one is refused. One that only reads sees the journal as it
 * was when it was opened; while it is open, journal_scrub of the other one is refused. All functions answer false, with a sentence
 * that names the place, when the folder, the file or its content is at fault.
 */
#ifndef SERVICE_JOURNAL_H
#define SERVICE_JOURNAL_H

#include <sotto/core.h>

#define JOURNAL_FAULT_BYTES 512u
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
    const char *labels;  /* a JSON object, as text; "" if deleted */
    bool
        damaged; /* read from a shared journal: its row cannot be right. Number and id are as they stand there, or 0 if
                   * they cannot be read; nothing else is known */
} journal_experiment;

/* A discard is a publish that gives up the reports since the last one: the learner learns nothing from them. */
typedef enum journal_kind { JOURNAL_REPORTS, JOURNAL_PUBLISH, JOURNAL_DISCARD } journal_kind;

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
    journal_bytes told;    /* of a shared journal: told_encode, as in the model; else empty */
    bool
        ended; /* of a shared journal: of a closed experiment, with what it took after that model; nothing is told */
} journal_snapshot;

/* The bit of harm in `alarms`, after those of the watch. In a row of journal_held it says that nothing is held: the
 * owner has ended the fallback that is served. */
#define JOURNAL_ALARM_HARM (UINT32_C(1) << 5)

/* Of one publish, or of several once it was thinned. */
typedef struct journal_history {
    uint32_t experiment;
    uint32_t epoch;  /* that opened (the last of several) */
    uint64_t minute; /* of the publish (the last of several) */
    uint32_t publishes;
    uint64_t learn;
    uint64_t control, follow; /* reports of measure rounds, and what they say: +1 or -1 each */
    int64_t control_sum, follow_sum;
    uint64_t late, duplicate, conflicting;
    /* Bits 0 to 15, of the watch: a bit per test, and JOURNAL_ALARM_HARM; all of several publishes together. Bits 16 to
     * 31: the mean age of the learn reports in 1/256 epochs; the largest of several. journal_alarms, journal_age */
    uint32_t alarms;
} journal_history;

typedef struct journal_settings {
    const char *folder; /* is made if it is not there */
    bool read_only;     /* for inspect and export beside a running service: nothing is changed */
    uint64_t
        recover_to; /* 0, or: rows of damaged experiments after this one are given up, by hand. The
                          * old file is kept as journal.before-recovery-N */
} journal_settings;

typedef struct sottod_journal sottod_journal;

/* Checks format, owner, every digest. *out is NULL unless true. */
bool journal_open(const journal_settings *settings, sottod_journal **out,
                  char fault[JOURNAL_FAULT_BYTES]);
void journal_close(sottod_journal *journal);
/* Copies the journal of a folder to a new folder, which must not be there: as it is at one moment, whole,
 * with every digest checked, in the format that it has. A service may use the first one meanwhile, and is not
 * held up. What is beside the journal (tokens) is not copied. If false, nothing is left of the new folder. */
bool journal_backup(const char *from, const char *to, char fault[JOURNAL_FAULT_BYTES]);
/* Why the last function that answered false did. */
const char *journal_fault(const sottod_journal *journal);
/* The same in words that may be told to anybody: no name of a file or a machine. NULL: there are none. */
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
bool journal_read_history(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_history *), void *self);

/* ---- writing: begin, any number of changes, commit. What is committed is durable; if commit or any
 * change answers false, journal_abandon takes all of it back, and the journal is as before begin. Until then
 * all other changes and commit answer false, too. */

bool journal_begin(sottod_journal *journal);
bool journal_commit(sottod_journal *journal);
void journal_abandon(sottod_journal *journal);

/* Sets experiment->number. */
bool journal_add_experiment(sottod_journal *journal, journal_experiment *experiment);
/* DELETED also removes terms, start, labels, rows, snapshot and history of the experiment. */
bool journal_set_state(sottod_journal *journal, uint32_t experiment, journal_state state);
bool journal_set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine);
/* Sets row->seq. */
bool journal_append(sottod_journal *journal, journal_row *row);
/* Of a row from that of the snapshot before to the last one. */
bool journal_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot);
/* Takes the place of one of the same epoch, if there is one. */
bool journal_add_history(sottod_journal *journal, const journal_history *history);
/* One row per hour instead of one per publish, for publishes before this minute. */
bool journal_thin_history(sottod_journal *journal, uint64_t before_minute);
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

/* ---- a journal that several processes share (src/service/postgres): each appends reports, one at a time
 * folds and publishes. Snapshots are then those of publishes, with the epoch as `seq`; after that of the last publish
 * there may be one more, of the same epoch, that has `ended`. */

bool journal_is_shared(const sottod_journal *journal);
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
} journal_news;
bool journal_read_news(sottod_journal *journal, bool (*take)(void *self, const journal_news *),
                       void *self);
/* How many reports of each of these experiments are durable and in no snapshot yet. */
bool journal_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                          uint64_t *reports);
/* In a transaction: what is to be done with an epoch that is held, in place of what was decided before.
 * *held is false, and nothing is changed, if that epoch is not held (any more), or the experiment is not open.
 * Whoever folds does it, once; until then it can be decided otherwise. */
bool journal_decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                    journal_kind decision, bool *held);
/* In a transaction: the fallback that an experiment serves ends with the epoch that is open. *done is false, and
 * nothing is changed, if that epoch is held, or the experiment is not open. */
bool journal_end_fallback(sottod_journal *journal, uint32_t experiment, bool *done);
/* True if experiments, states or snapshots may have changed since the last call. Does not wait. */
bool journal_changed(sottod_journal *journal);

#endif
