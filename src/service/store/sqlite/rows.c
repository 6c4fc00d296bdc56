/* Rows: appending, reading, removing. Each digest covers all earlier rows of its experiment. */
#include "inner.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

bool journal__row_of(sqlite3_stmt *statement, journal_row *out, const uint8_t **digest)
{
    uint32_t kind;
    if (!journal__column_u64(statement, 0, &out->seq) ||
        !journal__column_u32(statement, 1, &out->experiment) ||
        !journal__column_u32(statement, 2, &kind) ||
        !journal__column_u32(statement, 3, &out->epoch) ||
        !journal__column_u64(statement, 4, &out->minute) ||
        !journal__column_u32(statement, 5, &out->late) ||
        !journal__column_u32(statement, 6, &out->duplicate) ||
        !journal__column_u32(statement, 7, &out->conflicting) ||
        !journal__column_bytes(statement, 8, &out->frames) ||
        !journal__column_digest(statement, 9, digest)) {
        return false;
    }
    out->kind = (journal_kind)kind;
    return kind <= JOURNAL_END_FALLBACK;
}

bool journal__put_row(journal_sqlite *journal, const journal_row *row,
                      const uint8_t digest[JOURNAL_DIGEST_BYTES])
{
    const journal_value value[] = {
        JOURNAL_VALUE_U(row->seq),
        JOURNAL_VALUE_U(row->experiment),
        JOURNAL_VALUE_U((uint64_t)row->kind),
        JOURNAL_VALUE_U(row->epoch),
        JOURNAL_VALUE_U(row->minute),
        JOURNAL_VALUE_U(row->late),
        JOURNAL_VALUE_U(row->duplicate),
        JOURNAL_VALUE_U(row->conflicting),
        JOURNAL_VALUE_BYTES(row->frames.at, row->frames.bytes),
        JOURNAL_VALUE_DIGEST(digest),
    };
    return journal__change(journal, JOURNAL_SQL_APPEND, value, COUNT(value), "be written");
}

bool sqlite_append(sottod_journal *base, journal_row *row)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    journal_log *log = journal__touch(journal, row->experiment);
    if (log == NULL) return false;
    if ((uint32_t)row->kind > JOURNAL_END_FALLBACK) {
        return journal__refuse(journal,
                               "a row has kind %u: allowed 0 (reports), 1 (publish), 2 (discard), "
                               "3 (publish that ends a fallback)",
                               (unsigned)row->kind);
    }
    if (row->kind != JOURNAL_REPORTS && row->frames.bytes > 0) {
        return journal__refuse(journal,
                               "a publish or discard has %zu bytes of frames: allowed none",
                               row->frames.bytes);
    }
    row->seq = journal->last + 1;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_row(log->ends.head, row, digest);
    if (!journal__put_row(journal, row, digest)) return false;
    journal->last = row->seq;
    log->ends.head_seq = row->seq;
    memcpy(log->ends.head, digest, sizeof digest);
    return true;
}

bool sqlite_read_rows(sottod_journal *base, uint32_t experiment, uint64_t after,
                      bool (*take)(void *self, const journal_row *), void *self)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_value of_all[] = {JOURNAL_VALUE_U(after)};
    const journal_value of_one[] = {JOURNAL_VALUE_U(experiment), JOURNAL_VALUE_U(after)};
    sqlite3_stmt *statement =
        experiment == 0 ? journal__ask(journal, JOURNAL_SQL_ROWS, of_all, COUNT(of_all))
                        : journal__ask(journal, JOURNAL_SQL_ROWS_OF, of_one, COUNT(of_one));
    bool ok = statement != NULL;
    while (ok && journal__step(journal, statement, &ok)) {
        journal_row row = {.seq = after};
        const uint8_t *digest;
        ok = journal__row_of(statement, &row, &digest)
                 ? take(self, &row)
                 : journal__refuse(journal, "%s is damaged: row %llu cannot be read",
                                   journal->directory.file, (unsigned long long)row.seq);
    }
    journal__done(statement);
    return ok;
}

/* As journal_slice, for rows up to `seq`. SQLite knows the length of frames without reading them. */
static bool find_slice(journal_sqlite *journal, uint32_t experiment, uint64_t seq,
                       uint64_t oldest_open, uint64_t *to, bool *more)
{
    const journal_value value[] = {JOURNAL_VALUE_U(experiment), JOURNAL_VALUE_U(seq)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_SIZES, value, COUNT(value));
    uint64_t weight = 0, row, bytes, epoch;
    *to = 0;
    *more = false;
    if (statement == NULL) return false;
    int code = SQLITE_ROW;
    while (!*more && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!journal__column_u64(statement, 0, &row) ||
            !journal__column_u64(statement, 1, &bytes) ||
            !journal__column_u64(statement, 2, &epoch)) {
            code = SQLITE_CORRUPT;
            break;
        }
        if (bytes > 0 && epoch >= oldest_open) break;
        *more = weight >= JOURNAL_SLICE_BYTES;
        if (!*more) *to = row;
        weight += bytes + JOURNAL_ROW_BYTES;
    }
    const bool read = code == SQLITE_ROW || code == SQLITE_DONE;
    if (!read) journal__refuse_sqlite(journal, code, "be read");
    journal__done(statement);
    return read;
}

bool sqlite_slice(sottod_journal *base, uint32_t experiment, uint64_t oldest_open, uint64_t *to,
                  bool *more)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_log *log = journal__touch(journal, experiment);
    return log != NULL && find_slice(journal, experiment, log->snapshot_seq, oldest_open, to, more);
}

/* The chain then begins after the last removed row. */
static bool move_anchor(journal_sqlite *journal, journal_log *log, uint32_t experiment,
                        uint64_t seq)
{
    const journal_value value[] = {JOURNAL_VALUE_U(experiment), JOURNAL_VALUE_U(seq)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_LAST_ROW_OF, value, COUNT(value));
    if (statement == NULL) return false;
    const uint8_t *digest;
    bool ok = true;
    if (journal__step(journal, statement, &ok)) {
        ok = journal__column_u64(statement, 0, &log->ends.anchor_seq) &&
             journal__column_digest(statement, 1, &digest);
        if (ok) memcpy(log->ends.anchor, digest, JOURNAL_DIGEST_BYTES);
        if (!ok) {
            journal__refuse(journal, "%s is damaged: a row of experiment %u cannot be read",
                            journal->directory.file, experiment);
        }
    }
    journal__done(statement);
    return ok;
}

/* Rows are removed from the old end, so that the rest is a chain from the anchor to the head. */
static bool remove_some_rows(journal_sqlite *journal, uint32_t experiment, journal_log *log)
{
    uint64_t seq;
    bool more;
    if (!find_slice(journal, experiment, log->ends.head_seq, UINT64_MAX, &seq, &more)) return false;
    const journal_value value[] = {JOURNAL_VALUE_U(experiment), JOURNAL_VALUE_U(seq)};
    return move_anchor(journal, log, experiment, seq) &&
           journal__change(journal, JOURNAL_SQL_REMOVE_ROWS, value, COUNT(value), "be written");
}

bool journal__remove_slice(journal_sqlite *journal, uint32_t experiment, journal_log *log)
{
    const journal_value value[] = {JOURNAL_VALUE_U(experiment),
                                   JOURNAL_VALUE_U(JOURNAL_SLICE_ROWS)};
    log->leaves = true;
    if (log->ends.anchor_seq < log->ends.head_seq) {
        if (!remove_some_rows(journal, experiment, log)) return false;
        if (log->ends.anchor_seq < log->ends.head_seq) return true;
    }
    journal->thins = true;
    if (!journal__change(journal, JOURNAL_SQL_REMOVE_HISTORY, value, COUNT(value), "be written"))
        return false;
    log->leaves = sqlite3_changes(journal->data) >= (int)JOURNAL_SLICE_ROWS;
    return true;
}

bool sqlite_remove_rows(sottod_journal *base, uint32_t experiment, uint64_t seq)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    journal_log *log = journal__touch(journal, experiment);
    if (log == NULL) return false;
    if (seq > log->snapshot_seq) {
        return journal__refuse(journal,
                               "rows of experiment %u up to %llu cannot be removed: its snapshot "
                               "covers only those up to %llu",
                               experiment, (unsigned long long)seq,
                               (unsigned long long)log->snapshot_seq);
    }
    if (!move_anchor(journal, log, experiment, seq)) return false;
    const journal_value value[] = {JOURNAL_VALUE_U(experiment), JOURNAL_VALUE_U(seq)};
    return journal__change(journal, JOURNAL_SQL_REMOVE_ROWS, value, COUNT(value), "be written");
}
