/* Tables and statements: all SQL of the journal. Statements are made once. */
#ifndef SERVICE_JOURNAL_STATEMENT_H
#define SERVICE_JOURNAL_STATEMENT_H

#include "journal.h"

#include <sqlite3.h>

#define JOURNAL_APPLICATION_ID 0x534f5444 /* "SOTD" */
#define JOURNAL_FORMAT 2                  /* the one that is written */
#define JOURNAL_FORMAT_OLDEST 1           /* the first one that is read */

#define JOURNAL_EXPERIMENT_COLUMNS                                                                 \
    "number, id, state, created_minute, epoch_seconds_min, epoch_reports_min, "                    \
    "epoch_reports_expected, quarantine, report_key, terms, start, labels, digest"
#define JOURNAL_ROW_COLUMNS                                                                        \
    "seq, experiment, kind, epoch, minute, late, duplicate, conflicting, frames, digest"
#define JOURNAL_SNAPSHOT_COLUMNS                                                                   \
    "experiment, seq, folded, late, duplicate, conflicting, learner, digest"
#define JOURNAL_HISTORY_COLUMNS                                                                    \
    "experiment, epoch, minute, publishes, learn, control, follow, control_sum, follow_sum, "      \
    "late, duplicate, conflicting, alarms, digest"

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
    X(APPEND,                                                                                      \
      "INSERT INTO journal (" JOURNAL_ROW_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")       \
    X(REMOVE_ROWS, "DELETE FROM journal WHERE experiment = ? AND seq <= ?")                        \
    X(SNAPSHOTS, "SELECT " JOURNAL_SNAPSHOT_COLUMNS " FROM snapshot ORDER BY experiment")          \
    X(SNAPSHOT, "SELECT " JOURNAL_SNAPSHOT_COLUMNS " FROM snapshot WHERE experiment = ?")          \
    X(PUT_SNAPSHOT, "INSERT OR REPLACE INTO snapshot (" JOURNAL_SNAPSHOT_COLUMNS                   \
                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)")                                           \
    X(REMOVE_SNAPSHOT, "DELETE FROM snapshot WHERE experiment = ?")                                \
    X(HISTORY, "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history ORDER BY experiment, epoch")       \
    X(HISTORY_OF,                                                                                  \
      "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history WHERE experiment = ? ORDER BY epoch")       \
    X(HISTORY_BETWEEN,                                                                             \
      "SELECT " JOURNAL_HISTORY_COLUMNS " FROM history WHERE minute >= ? AND minute < ? "          \
      "ORDER BY experiment, epoch")                                                                \
    X(PUT_HISTORY, "INSERT OR REPLACE INTO history (" JOURNAL_HISTORY_COLUMNS                      \
                   ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")                          \
    X(REMOVE_HISTORY, "DELETE FROM history WHERE experiment = ?")                                  \
    X(REMOVE_HOUR, "DELETE FROM history WHERE experiment = ? AND epoch BETWEEN ? AND ? "           \
                   "AND minute >= ? AND minute < ?")                                               \
    X(RECOVERIES, "SELECT number, kept_to, last, digest FROM recovery ORDER BY number")            \
    X(PUT_RECOVERY, "INSERT INTO recovery (number, kept_to, last, digest) VALUES (?, ?, ?, ?)")    \
    X(ROOTS, "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")                              \
    X(INTEGRITY, "PRAGMA integrity_check(1)")

typedef enum journal_sql {
#define JOURNAL_SQL_ENUMERATOR(name, text) JOURNAL_SQL_##name,
    JOURNAL_SQL_MAP(JOURNAL_SQL_ENUMERATOR)
#undef JOURNAL_SQL_ENUMERATOR
        JOURNAL_SQL_COUNT
} journal_sql;

/* What is put in the place of a question mark. */
typedef struct journal_value {
    enum { JOURNAL_NUMBER, JOURNAL_BLOB, JOURNAL_TEXT } kind;
    uint64_t number; /* one of 2^63 and more is refused, unless `is_signed` */
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

/* Makes the tables of a new file. SQLITE_OK, or another code of SQLite's. */
int journal__make_tables(sqlite3 *data);
/* All statements; what was made before a failure is in the array, too. Those of an older format read what
 * its tables lack as 0, and there are none that write. */
int journal__prepare(sqlite3 *data, uint32_t format, sqlite3_stmt *statement[JOURNAL_SQL_COUNT]);
/* NULL is allowed in the array. */
void journal__finalize(sqlite3_stmt *statement[JOURNAL_SQL_COUNT]);
/* SQLITE_RANGE: a number of 2^63 or more. */
int journal__bind(sqlite3_stmt *statement, const journal_value *value, int values);

/* ---- reading what a statement found: false if a column has another type or range than ours */

bool journal__column_u64(sqlite3_stmt *statement, int column, uint64_t *out);
bool journal__column_u32(sqlite3_stmt *statement, int column, uint32_t *out);
bool journal__column_i64(sqlite3_stmt *statement, int column, int64_t *out);
bool journal__column_bytes(sqlite3_stmt *statement, int column, journal_bytes *out);
bool journal__column_digest(sqlite3_stmt *statement, int column, const uint8_t **out);
/* Refuses a text with a 0 in it. */
bool journal__column_text(sqlite3_stmt *statement, int column, const char **out);

#endif
