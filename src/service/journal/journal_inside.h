/* What the files of the journal share. */
#ifndef SERVICE_JOURNAL_INSIDE_H
#define SERVICE_JOURNAL_INSIDE_H

#include "journal_digest.h"
#include "journal_folder.h"
#include "journal_statement.h"
#include "journal_table.h"

/* What must be known of an experiment to write its next row. */
typedef struct journal_log {
    journal_ends ends;
    uint64_t snapshot_seq;
    bool has_snapshot;
    bool deleted;
} journal_log;

/* The log as it is in the transaction, and as it was before it. */
typedef struct journal_entry {
    journal_log now;
    journal_log before;
    uint32_t next_touched; /* its number; 0: the last one */
    bool touched;
} journal_entry;

/* The journal in a folder, by SQLite. */
typedef struct journal_sqlite {
    sottod_journal base;
    journal_folder folder;
    sqlite3 *data;
    sqlite3_stmt *statement[JOURNAL_SQL_COUNT];
    bool read_only;
    bool begun;            /* a transaction is open */
    bool failed;           /* and a change in it was */
    journal_entry **entry; /* of experiment 1, 2, …; of deleted ones it is `gone` */
    journal_entry gone;
    uint32_t entries, entries_before, entries_room;
    uint32_t touched; /* the number of the first entry that changed; 0: none */
    uint64_t last, last_before;
    uint64_t thinned, thinned_before; /* minute; history before it was thinned by this process */
    uint64_t commits, commit_us;
    bool owes_zeros; /* a scrub failed: zeros that are read may not be on the disk */
    int code;        /* of SQLite, if that is what the fault is about; SQLITE_OK: not so */
    char fault[JOURNAL_FAULT_BYTES];
} journal_sqlite;

/* A journal whose table is journal_sqlite_table. */
static inline journal_sqlite *journal__sqlite_of(sottod_journal *base)
{
    return (journal_sqlite *)base;
}
static inline const journal_sqlite *journal__sqlite_of_const(const sottod_journal *base)
{
    return (const journal_sqlite *)base;
}

/* All answer false. */
__attribute__((format(printf, 2, 3))) bool journal__refuse(journal_sqlite *journal,
                                                           const char *format, ...);
/* What SQLite said, as one line of plain letters: it quotes names as they stand in a damaged file. */
#define JOURNAL_PLAIN_BYTES 160u
const char *journal__plain(const char *said, char out[JOURNAL_PLAIN_BYTES]);
/* Says what SQLite answered, when this was tried. */
bool journal__refuse_sqlite(journal_sqlite *journal, int code, const char *what);

/* ---- statements */

/* Puts the values in the places of the question marks; NULL, and a fault, if it could not. */
sqlite3_stmt *journal__ask(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                           int values);
/* A change: runs the statement once. In a transaction that failed before nothing is run. */
bool journal__change(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                     int values, const char *what);
/* Gives a statement back, so that it can be used again. */
void journal__done(sqlite3_stmt *statement);

/* ---- entries */

/* Refuses a number that no experiment has, a deleted experiment, and a change outside of a transaction.
 * The entry is put back by sqlite_abandon. */
journal_log *journal__touch(journal_sqlite *journal, uint32_t experiment);
/* One more; false without memory. */
bool journal__grow(journal_sqlite *journal);
/* No more than so many. */
void journal__shrink(journal_sqlite *journal, uint32_t entries);
/* Lets go of what is known of a deleted experiment. There is one such entry for all of them. */
void journal__bury(journal_sqlite *journal, uint32_t experiment);
bool journal__may_change(journal_sqlite *journal);

/* ---- rows as SQLite gives them: false if a column is not as we write it */

bool journal__experiment_of(sqlite3_stmt *statement, journal_experiment *out,
                            const uint8_t **digest);
bool journal__row_of(sqlite3_stmt *statement, journal_row *out, const uint8_t **digest);
bool journal__snapshot_of(sqlite3_stmt *statement, journal_snapshot *out, const uint8_t **digest);
bool journal__history_of(sqlite3_stmt *statement, journal_history *out, const uint8_t **digest);

/* ---- rows as we give them to SQLite: also for the file that recovery makes */

bool journal__put_experiment(journal_sqlite *journal, const journal_experiment *experiment);
bool journal__put_row(journal_sqlite *journal, const journal_row *row,
                      const uint8_t digest[JOURNAL_DIGEST_BYTES]);
bool journal__put_snapshot(journal_sqlite *journal, const journal_snapshot *snapshot);
bool journal__put_history(journal_sqlite *journal, const journal_history *history);
bool journal__put_ends(journal_sqlite *journal, uint32_t experiment, const journal_ends *ends);

/* ---- the file */

/* Makes an empty journal of this name, and leaves it open. */
bool journal__make_file(journal_sqlite *journal, const char *path);
bool journal__open_data(journal_sqlite *journal, const char *path);
void journal__close_data(journal_sqlite *journal);

/* ---- the functions of journal.h */

extern const journal_table journal_sqlite_table;
void sqlite_close(sottod_journal *base);
const char *sqlite_fault(const sottod_journal *base);
const char *sqlite_reason(const sottod_journal *base);
uint64_t sqlite_last(const sottod_journal *base);
uint64_t sqlite_disk_bytes(const sottod_journal *base);
uint64_t sqlite_commits(const sottod_journal *base, uint64_t *last_us);
bool sqlite_read_experiments(sottod_journal *base,
                             bool (*take)(void *self, const journal_experiment *), void *self);
bool sqlite_read_snapshot(sottod_journal *base, uint32_t experiment,
                          bool (*take)(void *self, const journal_snapshot *), void *self,
                          bool *found);
bool sqlite_read_rows(sottod_journal *base, uint32_t experiment, uint64_t after,
                      bool (*take)(void *self, const journal_row *), void *self);
bool sqlite_read_history(sottod_journal *base, uint32_t experiment,
                         bool (*take)(void *self, const journal_history *), void *self);
bool sqlite_begin(sottod_journal *base);
bool sqlite_commit(sottod_journal *base);
void sqlite_abandon(sottod_journal *base);
bool sqlite_add_experiment(sottod_journal *base, journal_experiment *experiment);
bool sqlite_set_state(sottod_journal *base, uint32_t experiment, journal_state state);
bool sqlite_set_quarantine(sottod_journal *base, uint32_t experiment, bool quarantine);
bool sqlite_append(sottod_journal *base, journal_row *row);
bool sqlite_put_snapshot(sottod_journal *base, const journal_snapshot *snapshot);
bool sqlite_add_history(sottod_journal *base, const journal_history *history);
bool sqlite_thin_history(sottod_journal *base, uint64_t before_minute);
bool sqlite_remove_rows(sottod_journal *base, uint32_t experiment, uint64_t seq);
bool sqlite_probe(sottod_journal *base);
bool sqlite_scrub(sottod_journal *base);

#endif
