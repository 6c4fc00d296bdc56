/* docs/formats.md, section 3, explains the tables. A change of them is a new JOURNAL_FORMAT. */
#include "inner.h"

#include <string.h>

#define STATISTIC(sign, width, type, name) " " #name " INTEGER NOT NULL,"
#define STATISTICS JOURNAL_STATISTIC_MAP(STATISTIC)

static const char tables[] =
    "CREATE TABLE experiment ("
    " number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, state INTEGER NOT NULL,"
    " created_minute INTEGER NOT NULL, epoch_seconds_min INTEGER NOT NULL,"
    " epoch_reports_min INTEGER NOT NULL, epoch_reports_expected INTEGER NOT NULL,"
    " quarantine INTEGER NOT NULL, report_key BLOB NOT NULL, terms BLOB NOT NULL,"
    " start BLOB NOT NULL, labels TEXT NOT NULL, digest BLOB NOT NULL);"
    "CREATE TABLE ends ("
    " experiment INTEGER PRIMARY KEY, anchor_seq INTEGER NOT NULL, anchor BLOB NOT NULL,"
    " head_seq INTEGER NOT NULL, head BLOB NOT NULL, digest BLOB NOT NULL);"
    "CREATE TABLE journal ("
    " seq INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL, minute INTEGER NOT NULL, late INTEGER NOT NULL,"
    " duplicate INTEGER NOT NULL, conflicting INTEGER NOT NULL, frames BLOB NOT NULL,"
    " digest BLOB NOT NULL);"
    "CREATE INDEX journal_by_experiment ON journal (experiment, seq);"
    "CREATE TABLE snapshot ("
    " experiment INTEGER PRIMARY KEY, seq INTEGER NOT NULL, folded INTEGER NOT NULL,"
    " late INTEGER NOT NULL, duplicate INTEGER NOT NULL, conflicting INTEGER NOT NULL,"
    " learner BLOB NOT NULL, digest BLOB NOT NULL);"
    "CREATE TABLE history ("
    " experiment INTEGER NOT NULL, epoch INTEGER NOT NULL, minute INTEGER NOT NULL," STATISTICS
    " alarms INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (experiment, epoch))"
    " WITHOUT ROWID;"
    "CREATE INDEX history_by_minute ON history (minute);"
    "CREATE TABLE recovery ("
    " number INTEGER PRIMARY KEY, kept_to INTEGER NOT NULL, last INTEGER NOT NULL,"
    " digest BLOB NOT NULL);";

int journal__make_tables(sqlite3 *data)
{
    char pragmas[96];
    sqlite3_snprintf(sizeof pragmas, pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                     JOURNAL_APPLICATION_ID, JOURNAL_FORMAT);
    int code = sqlite3_exec(data, pragmas, NULL, NULL, NULL);
    return code != SQLITE_OK ? code : sqlite3_exec(data, tables, NULL, NULL, NULL);
}

int journal__prepare(sqlite3 *data, sqlite3_stmt *statement[JOURNAL_SQL_COUNT])
{
    static const char *const text[JOURNAL_SQL_COUNT] = {
#define TEXT(name, text_) [JOURNAL_SQL_##name] = text_,
        JOURNAL_SQL_MAP(TEXT)
#undef TEXT
    };
    int code = SQLITE_OK;
    for (int i = 0; i < JOURNAL_SQL_COUNT && code == SQLITE_OK; i++) {
        code =
            sqlite3_prepare_v3(data, text[i], -1, SQLITE_PREPARE_PERSISTENT, &statement[i], NULL);
    }
    return code;
}

void journal__finalize(sqlite3_stmt *statement[JOURNAL_SQL_COUNT])
{
    for (int i = 0; i < JOURNAL_SQL_COUNT; i++) {
        sqlite3_finalize(statement[i]);
        statement[i] = NULL;
    }
}

static int bind_one(sqlite3_stmt *statement, int place, const journal_value *value)
{
    switch (value->kind) {
    case JOURNAL_NUMBER:
        if (!value->is_signed && value->number > INT64_MAX) return SQLITE_RANGE;
        return sqlite3_bind_int64(statement, place, (sqlite3_int64)value->number);
    case JOURNAL_BLOB:
        /* A NULL pointer would be bound as SQL NULL, which is another type. */
        if (value->blob.bytes == 0) return sqlite3_bind_zeroblob(statement, place, 0);
        return sqlite3_bind_blob64(statement, place, value->blob.at, value->blob.bytes,
                                   SQLITE_STATIC);
    case JOURNAL_TEXT: return sqlite3_bind_text(statement, place, value->text, -1, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

int journal__bind(sqlite3_stmt *statement, const journal_value *value, int values)
{
    for (int i = 0; i < values; i++) {
        int code = bind_one(statement, i + 1, &value[i]);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

bool journal__column_i64(sqlite3_stmt *statement, int column, int64_t *out)
{
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER) return false;
    *out = sqlite3_column_int64(statement, column);
    return true;
}

bool journal__column_u64(sqlite3_stmt *statement, int column, uint64_t *out)
{
    int64_t value;
    if (!journal__column_i64(statement, column, &value) || value < 0) return false;
    *out = (uint64_t)value;
    return true;
}

bool journal__column_u32(sqlite3_stmt *statement, int column, uint32_t *out)
{
    uint64_t value;
    if (!journal__column_u64(statement, column, &value) || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

bool journal__column_bytes(sqlite3_stmt *statement, int column, journal_bytes *out)
{
    if (sqlite3_column_type(statement, column) != SQLITE_BLOB) return false;
    out->at = sqlite3_column_blob(statement, column); /* NULL if empty, or without memory */
    out->bytes = (size_t)sqlite3_column_bytes(statement, column);
    return out->at != NULL || out->bytes == 0;
}

bool journal__column_digest(sqlite3_stmt *statement, int column, const uint8_t **out)
{
    journal_bytes bytes;
    if (!journal__column_bytes(statement, column, &bytes)) return false;
    *out = bytes.at;
    return bytes.bytes == JOURNAL_DIGEST_BYTES;
}

bool journal__column_text(sqlite3_stmt *statement, int column, const char **out)
{
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT) return false;
    *out = (const char *)sqlite3_column_text(statement, column);
    if (*out == NULL) return false;
    return strlen(*out) == (size_t)sqlite3_column_bytes(statement, column);
}
