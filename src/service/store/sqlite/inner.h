/* What files of this room share. */
#ifndef SOTTO_SERVICE_STORE_SQLITE_INNER_H
#define SOTTO_SERVICE_STORE_SQLITE_INNER_H

#include "sqlite.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- journal_directory ------------------------------------------------------------------------- */

/* The directory of the journal: its owner, its user, and its files. */

#define JOURNAL_PATH_BYTES 1100u

typedef struct journal_directory {
    char path[JOURNAL_PATH_BYTES];
    char file[JOURNAL_PATH_BYTES];  /* path/journal.sqlite */
    char log[JOURNAL_PATH_BYTES];   /* path/journal.sqlite-wal */
    char index[JOURNAL_PATH_BYTES]; /* path/journal.sqlite-shm */
    /* path/journal.sqlite.new: renamed to `file` when complete */
    char unborn[JOURNAL_PATH_BYTES];
    char lock_file[JOURNAL_PATH_BYTES]; /* path/lock */
    int lock;                           /* held while it is open; -1: none */
    uint64_t log_inode;                 /* once seen; 0: not yet */
} journal_directory;

/* Makes the directory if needed, takes the lock, and checks owner, modes and the head of the file. *is_new: there is
 * no file yet. With `read_only`, makes nothing and takes no lock. Close it in any case. */
SOTTO_CHECK sotto_status journal__directory_open(journal_directory *directory, const char *path,
                                                 bool read_only, bool *is_new, sotto_fault *fault);
void journal__directory_close(journal_directory *directory);
/* Makes an empty file for journal__directory_adopt, readable only by its owner. */
SOTTO_CHECK sotto_status journal__directory_unborn(journal_directory *directory,
                                                   sotto_fault *fault);
/* Makes the names in the directory durable. */
SOTTO_CHECK sotto_status journal__directory_sync(const journal_directory *directory,
                                                 sotto_fault *fault);
/* Renames the unborn file to `file`, durably. */
SOTTO_CHECK sotto_status journal__directory_adopt(journal_directory *directory, sotto_fault *fault);
/* SOTTO_OK: the names of lock and log still refer to the open files. */
SOTTO_CHECK sotto_status journal__directory_is_in_place(journal_directory *directory,
                                                        sotto_fault *fault);
/* Bytes of the file, its log and its index. */
uint64_t journal__directory_bytes(const journal_directory *directory);
/* Copies the file and its log to path/journal.before-recovery-N[-wal], durably; N is the first unused number. `copy`
 * gets the name. */
SOTTO_CHECK sotto_status journal__directory_keep(journal_directory *directory,
                                                 char copy[JOURNAL_PATH_BYTES], sotto_fault *fault);

/* ---- journal_statement ---------------------------------------------------------------------- */

/* Tables and statements: all SQL of the journal. Statements are prepared once. */

#define JOURNAL_APPLICATION_ID 0x534f5444 /* "SOTD" */

#define JOURNAL_EXPERIMENT_COLUMNS                                                                 \
    "number, id, state, created_minute, epoch_seconds_min, epoch_reports_min, "                    \
    "epoch_reports_expected, quarantine, report_key, terms, start, labels, digest"
#define JOURNAL_ROW_COLUMNS                                                                        \
    "seq, experiment, kind, epoch, minute, late, duplicate, conflicting, frames, digest"
#define JOURNAL_SNAPSHOT_COLUMNS                                                                   \
    "experiment, seq, folded, late, duplicate, conflicting, learner, digest"
#define JOURNAL_STATISTIC_PLACE(sign, width, type, name) ", ?"

#define JOURNAL_SQL_MAP(X)                                                                         \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(EXPERIMENTS, "SELECT " JOURNAL_EXPERIMENT_COLUMNS " FROM experiment ORDER BY number")        \
    X(EXPERIMENT, "SELECT " JOURNAL_EXPERIMENT_COLUMNS " FROM experiment WHERE number = ?")        \
    X(ADD_EXPERIMENT, "INSERT INTO experiment (" JOURNAL_EXPERIMENT_COLUMNS                        \
                      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")                          \
    X(SET_EXPERIMENT, "UPDATE experiment SET state = ?, quarantine = ?, report_key = ?, "          \
                      "terms = ?, start = ?, labels = ?, digest = ? WHERE number = ?")             \
    X(ENDS, "SELECT experiment, anchor_seq, anchor, head_seq, head, digest FROM ends "             \
            "ORDER BY experiment")                                                                 \
    X(PUT_ENDS, "INSERT OR REPLACE INTO ends "                                                     \
                "(experiment, anchor_seq, anchor, head_seq, head, digest) "                        \
                "VALUES (?, ?, ?, ?, ?, ?)")                                                       \
    X(ROWS, "SELECT " JOURNAL_ROW_COLUMNS " FROM journal WHERE seq > ? ORDER BY seq")              \
    X(ROWS_OF,                                                                                     \
      "SELECT " JOURNAL_ROW_COLUMNS " FROM journal WHERE experiment = ? AND seq > ? ORDER BY seq") \
    X(LAST_ROW_OF, "SELECT seq, digest FROM journal WHERE experiment = ? AND seq <= ? "            \
                   "ORDER BY seq DESC LIMIT 1")                                                    \
    X(SIZES, "SELECT seq, length(frames), epoch FROM journal WHERE experiment = ? AND seq <= ? "   \
             "ORDER BY seq")                                                                       \
    X(APPEND,                                                                                      \
      "INSERT INTO journal (" JOURNAL_ROW_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")       \
    X(REMOVE_ROWS, "DELETE FROM journal WHERE experiment = ? AND seq <= ?")                        \
    X(SNAPSHOTS, "SELECT " JOURNAL_SNAPSHOT_COLUMNS " FROM snapshot ORDER BY experiment")          \
    X(SNAPSHOT, "SELECT " JOURNAL_SNAPSHOT_COLUMNS " FROM snapshot WHERE experiment = ?")          \
    X(PUT_SNAPSHOT, "INSERT OR REPLACE INTO snapshot (" JOURNAL_SNAPSHOT_COLUMNS                   \
                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)")                                           \
    X(REMOVE_SNAPSHOT, "DELETE FROM snapshot WHERE experiment = ?")                                \
    X(HISTORY, "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history ORDER BY experiment, epoch")       \
    X(HISTORY_OF, "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history WHERE experiment = ? AND "      \
                  "epoch BETWEEN ? AND ? AND +minute >= ? AND +minute < ? ORDER BY epoch LIMIT ?") \
    X(NEWEST, "SELECT coalesce(max(epoch), 0) FROM history WHERE experiment = ?")                  \
    X(HISTORY_BETWEEN,                                                                             \
      "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history WHERE minute >= ? AND minute < ? "          \
      "ORDER BY experiment, epoch")                                                                \
    X(PUT_HISTORY, "INSERT OR REPLACE INTO history (" JOURNAL_HISTORY_COLUMNS                      \
                   ") VALUES (?, ?, ?" JOURNAL_STATISTIC_MAP(JOURNAL_STATISTIC_PLACE) ", ?, ?)")   \
    X(HISTORY_BEFORE, "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history WHERE experiment = ? AND "  \
                      "epoch < ? ORDER BY epoch DESC LIMIT 1")                                     \
    X(MINUTE_AFTER, "SELECT minute FROM history WHERE minute >= ? AND minute < ? ORDER BY minute " \
                    "LIMIT 1 OFFSET ?")                                                            \
    X(REMOVE_HISTORY, "DELETE FROM history WHERE experiment = ?1 AND epoch < coalesce((SELECT "    \
                      "epoch FROM history WHERE experiment = ?1 ORDER BY epoch LIMIT 1 OFFSET "    \
                      "?2), 1 << 32)")                                                             \
    X(REMOVE_HOUR, "DELETE FROM history WHERE experiment = ? AND epoch BETWEEN ? AND ? "           \
                   "AND minute >= ? AND minute < ?")                                               \
    X(RECOVERIES, "SELECT number, kept_to, last, digest FROM recovery ORDER BY number")            \
    X(PUT_RECOVERY, "INSERT INTO recovery (number, kept_to, last, digest) VALUES (?, ?, ?, ?)")    \
    X(ROOTS, "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 "                              \
             "AND (tbl_name <> 'history' OR ?)")                                                   \
    X(INTEGRITY, "PRAGMA integrity_check(1)")

typedef enum journal_sql {
#define JOURNAL_SQL_ENUMERATOR(name, text) JOURNAL_SQL_##name,
    JOURNAL_SQL_MAP(JOURNAL_SQL_ENUMERATOR)
#undef JOURNAL_SQL_ENUMERATOR
        JOURNAL_SQL_COUNT
} journal_sql;

/* A parameter of a statement. */
typedef struct journal_value {
    enum { JOURNAL_NUMBER, JOURNAL_BLOB, JOURNAL_TEXT } kind;
    uint64_t number; /* 2^63 and above is refused, unless `is_signed` */
    bool is_signed;
    journal_bytes blob;
    const char *text;
} journal_value;

#define JOURNAL_VALUE_U(x)                                                                         \
    {                                                                                              \
        .kind = JOURNAL_NUMBER, .number = (x)                                                      \
    }
#define JOURNAL_VALUE_I(x)                                                                         \
    {                                                                                              \
        .kind = JOURNAL_NUMBER, .number = (uint64_t)(x), .is_signed = true                         \
    }
#define JOURNAL_VALUE_BYTES(at_, bytes_)                                                           \
    {                                                                                              \
        .kind = JOURNAL_BLOB, .blob = {(at_), (bytes_) }                                           \
    }
#define JOURNAL_VALUE_DIGEST(at_) JOURNAL_VALUE_BYTES(at_, JOURNAL_DIGEST_BYTES)
#define JOURNAL_VALUE_TEXT(text_)                                                                  \
    {                                                                                              \
        .kind = JOURNAL_TEXT, .text = (text_)                                                      \
    }

/* Makes the tables of a new file. SQLITE_OK, or another result code of SQLite. */
int journal__make_tables(sqlite3 *data);
/* Prepares all statements; after a failure, the array holds those prepared before it. */
int journal__prepare(sqlite3 *data, sqlite3_stmt *statement[JOURNAL_SQL_COUNT]);
/* The array may contain NULL. */
void journal__finalize(sqlite3_stmt *statement[JOURNAL_SQL_COUNT]);
/* SQLITE_RANGE: a number of 2^63 or more. */
int journal__bind(sqlite3_stmt *statement, const journal_value *value, int values);

/* ---- columns of a result: false if one does not have our type or range */

bool journal__column_u64(sqlite3_stmt *statement, int column, uint64_t *out);
bool journal__column_u32(sqlite3_stmt *statement, int column, uint32_t *out);
bool journal__column_i64(sqlite3_stmt *statement, int column, int64_t *out);
bool journal__column_bytes(sqlite3_stmt *statement, int column, journal_bytes *out);
bool journal__column_digest(sqlite3_stmt *statement, int column, const uint8_t **out);
/* Refuses a text that contains a 0 byte. */
bool journal__column_text(sqlite3_stmt *statement, int column, const char **out);

/* ---- journal_inside ------------------------------------------------------------------------- */

/* Shared by the files of the journal. */

/* What is needed of an experiment to write its next row. */
typedef struct journal_log {
    journal_ends ends;
    uint64_t snapshot_seq;
    bool has_snapshot;
    bool deleted;
    bool leaves; /* deleted, but some of its rows or history may still exist */
} journal_log;

/* The log as it is in the transaction, and as it was before it. */
typedef struct journal_entry {
    journal_log now;
    journal_log before;
    uint32_t next_touched; /* its number; 0: the last one */
    bool touched;
} journal_entry;

/* The SQLite journal. */
typedef struct journal_sqlite {
    sottod_journal base;
    journal_directory directory;
    sqlite3 *data;
    sqlite3_stmt *statement[JOURNAL_SQL_COUNT];
    bool read_only;
    bool begun;            /* a transaction is open */
    bool failed;           /* a change in the transaction failed */
    journal_entry **entry; /* of experiment 1, 2, …; deleted ones share the entry `gone` */
    journal_entry gone;
    uint32_t entries, entries_before, entries_room;
    uint32_t touched; /* head of the list of changed entries, by number; 0: empty */
    uint64_t last, last_before;
    /* minutes; this process has thinned history up to there */
    uint64_t thinned, thinned_before;
    uint64_t commits, commit_us;
    bool thins;      /* rows of history may have been removed since the last scrub */
    bool owes_zeros; /* a scrub failed: zeros that are read may not be on the disk yet */
    int code;        /* SQLite's result code if the fault comes from SQLite; otherwise SQLITE_OK */
    sotto_fault fault;
} journal_sqlite;

/* The journal's own struct. */
static inline journal_sqlite *journal__sqlite_of(sottod_journal *base)
{
    return (journal_sqlite *)base;
}
static inline const journal_sqlite *journal__sqlite_of_const(const sottod_journal *base)
{
    return (const journal_sqlite *)base;
}

/* Always false. */
__attribute__((format(printf, 2, 3))) bool journal__refuse(journal_sqlite *journal,
                                                           const char *format, ...);
/* SQLite's message as one line of printable letters: it quotes names from a file that may be damaged. */
#define JOURNAL_PLAIN_BYTES 160u
const char *journal__plain(const char *said, char out[JOURNAL_PLAIN_BYTES]);
/* Says what SQLite answered when `what` was tried. */
bool journal__refuse_sqlite(journal_sqlite *journal, int code, const char *what);

/* ---- statements */

/* Binds the values to the parameters; NULL, and a fault, on failure. */
sqlite3_stmt *journal__ask(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                           int values);
/* A change: runs the statement once. In a failed transaction, it runs nothing. */
bool journal__change(journal_sqlite *journal, journal_sql sql, const journal_value *value,
                     int values, const char *what);
/* The next row of a statement. False at the end, and if reading failed: *ok is then false. */
bool journal__step(journal_sqlite *journal, sqlite3_stmt *statement, bool *ok);
/* Resets a statement for its next use. It may be NULL. */
void journal__done(sqlite3_stmt *statement);

/* ---- entries */

/* Refuses an unknown number, a deleted experiment, and a change outside of a transaction. sqlite_abandon restores the
 * entry. */
journal_log *journal__touch(journal_sqlite *journal, uint32_t experiment);
/* The same for a deleted experiment that has rows or history left; NULL: none. */
journal_log *journal__touch_leaving(journal_sqlite *journal, uint32_t *experiment);
/* Adds one entry; false: no memory. */
bool journal__grow(journal_sqlite *journal);
/* Keeps at most this many entries. */
void journal__shrink(journal_sqlite *journal, uint32_t entries);
/* Frees what is known about a deleted experiment. All of them share one entry. */
void journal__bury(journal_sqlite *journal, uint32_t experiment);
bool journal__may_change(journal_sqlite *journal);
/* Removes one slice of a deleted experiment: first of its rows, then of its history. */
bool journal__remove_slice(journal_sqlite *journal, uint32_t experiment, journal_log *log);

/* ---- reading rows: false if a column is not as we write it */

bool journal__experiment_of(sqlite3_stmt *statement, journal_experiment *out,
                            const uint8_t **digest);
bool journal__row_of(sqlite3_stmt *statement, journal_row *out, const uint8_t **digest);
bool journal__snapshot_of(sqlite3_stmt *statement, journal_snapshot *out, const uint8_t **digest);
bool journal__history_of(sqlite3_stmt *statement, journal_history *out, const uint8_t **digest);

/* ---- writing rows, also into the file that recovery makes */

bool journal__put_experiment(journal_sqlite *journal, const journal_experiment *experiment);
bool journal__put_row(journal_sqlite *journal, const journal_row *row,
                      const uint8_t digest[JOURNAL_DIGEST_BYTES]);
bool journal__put_snapshot(journal_sqlite *journal, const journal_snapshot *snapshot);
bool journal__put_history(journal_sqlite *journal, const journal_history *history);
bool journal__put_ends(journal_sqlite *journal, uint32_t experiment, const journal_ends *ends);

/* ---- the file */

/* Makes an empty journal with this name and leaves it open. */
bool journal__make_file(journal_sqlite *journal, const char *path);
bool journal__open_data(journal_sqlite *journal, const char *path);
void journal__close_data(journal_sqlite *journal);

/* ---- the functions of store.h */

#define SQLITE_CALL(type, name, parameters, arguments) type sqlite_##name parameters;
JOURNAL_CALL_MAP(SQLITE_CALL)
JOURNAL_ALONE_MAP(SQLITE_CALL)
#undef SQLITE_CALL
void sqlite_close(sottod_journal *base);
void sqlite_abandon(sottod_journal *base);

/* ---- journal_check -------------------------------------------------------------------------- */

/* The damage of a journal, and what could be kept. */

typedef struct journal_damage {
    bool found;
    bool hopeless;   /* giving up rows does not help */
    char place[200]; /* the first damage, as a sentence */
    uint64_t limit;  /* rows up to this one are good; UINT64_MAX: all readable rows are */
    uint64_t last;   /* the largest number of any row */
    /* of experiment 1, 2, …: the first row that is damaged or missing; 0: none */
    uint64_t *bad_seq;
} journal_damage;

/* Checks everything, and sets the journal's entries and `last`. False if the check was impossible: no memory, or the
 * disk failed. Free the damage in any case. */
bool journal__check(journal_sqlite *journal, journal_damage *damage);
void journal__damage_free(journal_damage *damage);
/* Refuses the journal; says where the damage is and what can be done. */
bool journal__refuse_damage(journal_sqlite *journal, const journal_damage *damage);
/* Makes a new file of what is good, without rows of damaged experiments after recover_to, and keeps a copy of the old
 * one. True: the journal is closed and must be opened again. */
bool journal__recover(journal_sqlite *journal, const journal_damage *damage, uint64_t recover_to);

#endif
