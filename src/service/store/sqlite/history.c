/* The history of publishes, from which curves are drawn. */
#include "inner.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

bool journal__history_of(sqlite3_stmt *statement, journal_history *out, const uint8_t **digest)
{
    int column = 3;
#define READ(sign, width, type, name) journal__column_##width(statement, column++, &out->name) &&
    return journal__column_u32(statement, 0, &out->experiment) &&
           journal__column_u32(statement, 1, &out->epoch) &&
           journal__column_u64(statement, 2, &out->minute) &&
           JOURNAL_STATISTIC_MAP(READ) journal__column_u32(statement, column, &out->alarms) &&
           journal__column_digest(statement, column + 1, digest);
#undef READ
}

bool journal__put_history(journal_sqlite *journal, const journal_history *history)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_history(history, digest);
#define VALUE(sign, width, type, name) JOURNAL_VALUE_##sign(history->name),
    const journal_value value[] = {
        JOURNAL_VALUE_U(history->experiment),
        JOURNAL_VALUE_U(history->epoch),
        JOURNAL_VALUE_U(history->minute),
        JOURNAL_STATISTIC_MAP(VALUE) /* in the order of the map */
        JOURNAL_VALUE_U(history->alarms),
        JOURNAL_VALUE_DIGEST(digest),
    };
#undef VALUE
    return journal__change(journal, JOURNAL_SQL_PUT_HISTORY, value, COUNT(value), "be written");
}

bool sqlite_newest(sottod_journal *base, uint32_t experiment, uint32_t *epoch)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_value value[] = {JOURNAL_VALUE_U(experiment)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_NEWEST, value, 1);
    if (statement == NULL) return false;
    int code = sqlite3_step(statement);
    bool read = code == SQLITE_ROW && journal__column_u32(statement, 0, epoch);
    if (!read) journal__refuse_sqlite(journal, code, "be read");
    journal__done(statement);
    return read;
}

bool sqlite_add_history(sottod_journal *base, const journal_history *history)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    return journal__touch(journal, history->experiment) != NULL &&
           journal__put_history(journal, history);
}

/* Passes each row of a statement to take, and resets the statement. */
static bool each(journal_sqlite *journal, sqlite3_stmt *statement,
                 bool (*take)(void *self, const journal_history *), void *self)
{
    bool ok = statement != NULL;
    while (ok && journal__step(journal, statement, &ok)) {
        journal_history history = {.epoch = 0};
        const uint8_t *digest;
        ok = journal__history_of(statement, &history, &digest)
                 ? take(self, &history)
                 : journal__refuse(journal,
                                   "%s is damaged: the history of experiment %u at epoch %u "
                                   "cannot be read",
                                   journal->directory.file, history.experiment, history.epoch);
    }
    journal__done(statement);
    return ok;
}

bool sqlite_read_span(sottod_journal *base, const journal_span *span,
                      bool (*take)(void *self, const journal_history *), void *self)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_value value[] = {
        JOURNAL_VALUE_U(span->experiment), JOURNAL_VALUE_U(span->first),
        JOURNAL_VALUE_U(span->last),       JOURNAL_VALUE_U(span->from),
        JOURNAL_VALUE_U(span->before),     JOURNAL_VALUE_U(span->rows_max),
    };
    return each(journal, journal__ask(journal, JOURNAL_SQL_HISTORY_OF, value, COUNT(value)), take,
                self);
}

/* ---- thinning ----------------------------------------------------------------------------- */

static bool remove_hour(journal_sqlite *journal, const journal_hour *one, uint64_t from,
                        uint64_t before)
{
    const journal_value value[] = {
        JOURNAL_VALUE_U(one->sum.experiment),
        JOURNAL_VALUE_U(one->first_epoch),
        JOURNAL_VALUE_U(one->sum.epoch),
        JOURNAL_VALUE_U(from),
        JOURNAL_VALUE_U(before),
    };
    journal->thins = true;
    return journal__change(journal, JOURNAL_SQL_REMOVE_HOUR, value, COUNT(value), "be written");
}

static bool take_row(void *self, const journal_history *row)
{
    journal_hour *hour = self;
    *hour = (journal_hour){.sum = *row, .first_epoch = row->epoch, .rows = 1};
    return true;
}

/* The hour began in the previous slice. Its row then belongs to the previous epoch, and is merged into this one. */
static bool join_before(journal_sqlite *journal, journal_hour *one)
{
    const journal_value value[] = {JOURNAL_VALUE_U(one->sum.experiment),
                                   JOURNAL_VALUE_U(one->first_epoch)};
    const uint64_t start = journal_hour_start(one->sum.minute);
    journal_hour before = {.rows = 0};
    if (!each(journal, journal__ask(journal, JOURNAL_SQL_HISTORY_BEFORE, value, COUNT(value)),
              take_row, &before))
        return false;
    if (before.rows == 0 || journal_hour_start(before.sum.minute) != start) return true;
    if (!remove_hour(journal, &before, start, start + JOURNAL_HOUR_MIN)) return false;
    journal_history_add(&before.sum, &one->sum);
    one->sum = before.sum;
    one->rows++;
    return true;
}

/* Removes exactly what was summed: the rows of that hour that are in the slice, minutes `from` to `to`. */
static bool thin(journal_sqlite *journal, journal_hour *one, uint64_t from, uint64_t to)
{
    uint64_t start = journal_hour_start(one->sum.minute), end = start + JOURNAL_HOUR_MIN;
    const journal_hour slice = *one;
    if (from > start && !join_before(journal, one)) return false;
    if (one->rows < 2) return true;
    return remove_hour(journal, &slice, from > start ? from : start, to < end ? to : end) &&
           journal__put_history(journal, &one->sum);
}

/* The end of a slice of about JOURNAL_SLICE_ROWS rows from this minute on: at the end of an hour, or else of a
 * minute. */
static bool slice_end(journal_sqlite *journal, uint64_t from, uint64_t before, uint64_t *to)
{
    const journal_value value[] = {JOURNAL_VALUE_U(from), JOURNAL_VALUE_U(before),
                                   JOURNAL_VALUE_U(JOURNAL_SLICE_ROWS)};
    sqlite3_stmt *statement = journal__ask(journal, JOURNAL_SQL_MINUTE_AFTER, value, COUNT(value));
    if (statement == NULL) return false;
    int code = sqlite3_step(statement);
    uint64_t minute = before;
    bool read =
        code == SQLITE_DONE || (code == SQLITE_ROW && journal__column_u64(statement, 0, &minute));
    if (!read) journal__refuse_sqlite(journal, code, "be read");
    journal__done(statement);
    *to = minute;
    if (code == SQLITE_ROW && journal_hour_start(minute) > from) *to = journal_hour_start(minute);
    if (*to == from) *to = from + 1;
    return read;
}

static bool thin_some(journal_sqlite *journal, uint64_t before, bool *more)
{
    uint64_t from = journal->thinned, to;
    if (before <= from) return true;
    if (!slice_end(journal, from, before, &to)) return false;
    const journal_value value[] = {JOURNAL_VALUE_U(from), JOURNAL_VALUE_U(to)};
    journal_hours all = {.count = 0};
    bool ok = each(journal, journal__ask(journal, JOURNAL_SQL_HISTORY_BETWEEN, value, COUNT(value)),
                   journal_hours_gather, &all);
    if (all.no_memory) journal__refuse(journal, "no memory for the history");
    for (size_t i = 0; ok && i < all.count; i++) {
        ok = thin(journal, &all.at[i], from, to);
    }
    journal_hours_free(&all);
    if (ok) journal->thinned = to;
    *more = to < before;
    return ok;
}

bool sqlite_tidy(sottod_journal *base, uint64_t before_minute, bool *more)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    uint32_t experiment;
    *more = false;
    if (!journal__may_change(journal)) return false;
    journal_log *log = journal__touch_leaving(journal, &experiment);
    if (log == NULL) return thin_some(journal, journal_hour_start(before_minute), more);
    *more = true;
    return journal__remove_slice(journal, experiment, log);
}
