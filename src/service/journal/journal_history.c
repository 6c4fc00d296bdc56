/* The history of publishes: what curves are drawn from. */
#include "hours.h"
#include "journal_inside.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

bool journal__history_of(sqlite3_stmt *statement, journal_history *out, const uint8_t **digest)
{
    return journal__column_u32(statement, 0, &out->experiment) &&
           journal__column_u32(statement, 1, &out->epoch) &&
           journal__column_u64(statement, 2, &out->minute) &&
           journal__column_u32(statement, 3, &out->publishes) &&
           journal__column_u64(statement, 4, &out->learn) &&
           journal__column_u64(statement, 5, &out->control) &&
           journal__column_u64(statement, 6, &out->follow) &&
           journal__column_i64(statement, 7, &out->control_sum) &&
           journal__column_i64(statement, 8, &out->follow_sum) &&
           journal__column_u64(statement, 9, &out->late) &&
           journal__column_u64(statement, 10, &out->duplicate) &&
           journal__column_u64(statement, 11, &out->conflicting) &&
           journal__column_u32(statement, 12, &out->alarms) &&
           journal__column_digest(statement, 13, digest);
}

bool journal__put_history(journal_sqlite *journal, const journal_history *history)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_history(history, JOURNAL_FORMAT, digest);
    const journal_value value[] = {
        JOURNAL_VALUE_U(history->experiment), JOURNAL_VALUE_U(history->epoch),
        JOURNAL_VALUE_U(history->minute),     JOURNAL_VALUE_U(history->publishes),
        JOURNAL_VALUE_U(history->learn),      JOURNAL_VALUE_U(history->control),
        JOURNAL_VALUE_U(history->follow),     JOURNAL_VALUE_I(history->control_sum),
        JOURNAL_VALUE_I(history->follow_sum), JOURNAL_VALUE_U(history->late),
        JOURNAL_VALUE_U(history->duplicate),  JOURNAL_VALUE_U(history->conflicting),
        JOURNAL_VALUE_U(history->alarms),     JOURNAL_VALUE_DIGEST(digest),
    };
    return journal__change(journal, JOURNAL_SQL_PUT_HISTORY, value, COUNT(value), "be written");
}

bool sqlite_add_history(sottod_journal *base, const journal_history *history)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    return journal__touch(journal, history->experiment) != NULL &&
           journal__put_history(journal, history);
}

/* Hands over what a statement finds, and gives the statement back. */
static bool each(journal_sqlite *journal, sqlite3_stmt *statement,
                 bool (*take)(void *self, const journal_history *), void *self)
{
    bool goes_on = statement != NULL;
    int code = SQLITE_DONE;
    while (goes_on && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        journal_history history = {.epoch = 0};
        const uint8_t *digest;
        if (!journal__history_of(statement, &history, &digest)) {
            goes_on = journal__refuse(journal,
                                      "%s is damaged: the history of experiment %u at epoch %u "
                                      "cannot be read",
                                      journal->folder.file, history.experiment, history.epoch);
        } else {
            goes_on = take(self, &history);
        }
    }
    if (goes_on && code != SQLITE_DONE) goes_on = journal__refuse_sqlite(journal, code, "be read");
    if (statement != NULL) journal__done(statement);
    return goes_on;
}

bool sqlite_read_history(sottod_journal *base, uint32_t experiment,
                         bool (*take)(void *self, const journal_history *), void *self)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    const journal_value value[] = {JOURNAL_VALUE_U(experiment)};
    return each(journal, journal__ask(journal, JOURNAL_SQL_HISTORY_OF, value, COUNT(value)), take,
                self);
}

/* ---- thinning ----------------------------------------------------------------------------- */

static bool thin(journal_sqlite *journal, const journal_hour *one)
{
    uint64_t start = journal_hour_start(one->sum.minute);
    const journal_value value[] = {
        JOURNAL_VALUE_U(one->sum.experiment),      JOURNAL_VALUE_U(one->first_epoch),
        JOURNAL_VALUE_U(one->sum.epoch),           JOURNAL_VALUE_U(start),
        JOURNAL_VALUE_U(start + JOURNAL_HOUR_MIN),
    };
    return journal__change(journal, JOURNAL_SQL_REMOVE_HOUR, value, COUNT(value), "be written") &&
           journal__put_history(journal, &one->sum);
}

bool sqlite_thin_history(sottod_journal *base, uint64_t before_minute)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (!journal__may_change(journal)) return false;
    uint64_t before = journal_hour_start(before_minute); /* whole hours only */
    const journal_value value[] = {JOURNAL_VALUE_U(journal->thinned), JOURNAL_VALUE_U(before)};
    journal_hours all = {.count = 0};
    bool ok = each(journal, journal__ask(journal, JOURNAL_SQL_HISTORY_BETWEEN, value, COUNT(value)),
                   journal_hours_gather, &all);
    if (all.no_memory) journal__refuse(journal, "no memory for the history");
    for (size_t i = 0; ok && i < all.count; i++) {
        if (all.at[i].rows > 1) ok = thin(journal, &all.at[i]);
    }
    journal_hours_free(&all);
    if (ok && before > journal->thinned) journal->thinned = before;
    return ok;
}
