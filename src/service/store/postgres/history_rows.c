#include "inner.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define QUESTION_BYTES 1024u

static bool history_of(const PGresult *result, int row, journal_history *out)
{
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    int column = 3;
#define READ(sign, width, type, name)                                                              \
    if (!postgres__column_##width(result, row, column++, &out->name)) return false;
    if (!postgres__column_u32(result, row, 0, &out->experiment) ||
        !postgres__column_u32(result, row, 1, &out->epoch) ||
        !postgres__column_u64(result, row, 2, &out->minute))
        return false;
    JOURNAL_STATISTIC_MAP(READ)
#undef READ
    if (!postgres__column_u32(result, row, column, &out->alarms) ||
        !postgres__column_exact(result, row, column + 1, stored, sizeof stored))
        return false;
    journal__digest_history(out, digest);
    return memcmp(digest, stored, sizeof digest) == 0;
}

typedef struct history_reader {
    postgres_connection *connection;
    bool (*take)(void *self, const journal_history *);
    void *self;
} history_reader;

static bool take_history(void *self, int question, const PGresult *result)
{
    history_reader *all = self;
    char place[200];
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        journal_history history = {.epoch = 0};
        if (!history_of(result, row, &history)) {
            return postgres__refuse(all->connection,
                                    "%s is damaged: the history of experiment %u at epoch %u is "
                                    "unreadable, or its digest is wrong. Restore a copy",
                                    postgres__place(all->connection, place, sizeof place),
                                    history.experiment, history.epoch);
        }
        if (!all->take(all->self, &history)) return false;
    }
    return true;
}

bool postgres__read_history(postgres_connection *connection, uint32_t experiment, uint64_t from,
                            uint64_t before, bool (*take)(void *self, const journal_history *),
                            void *self)
{
    history_reader all = {.connection = connection, .take = take, .self = self};
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(from), POSTGRES_U(before)};
    return postgres__queue(connection,
                           "SELECT " JOURNAL_HISTORY_COLUMNS
                           " FROM history WHERE ($1 = 0 OR experiment = $1) AND "
                           "minute >= $2 AND minute < $3 ORDER BY experiment, epoch",
                           value, COUNT(value)) &&
           postgres__run_by_rows(connection, take_history, &all);
}

bool postgres__read_span(postgres_connection *connection, const journal_span *span,
                         bool (*take)(void *self, const journal_history *), void *self)
{
    history_reader all = {.connection = connection, .take = take, .self = self};
    const postgres_value value[] = {POSTGRES_U(span->experiment), POSTGRES_U(span->first),
                                    POSTGRES_U(span->last),       POSTGRES_U(span->from),
                                    POSTGRES_U(span->before),     POSTGRES_U(span->rows_max)};
    return postgres__queue(connection,
                           "SELECT " JOURNAL_HISTORY_COLUMNS
                           " FROM history WHERE experiment = $1 AND epoch BETWEEN "
                           "$2 AND $3 AND minute >= $4 AND minute < $5 ORDER BY epoch LIMIT $6",
                           value, COUNT(value)) &&
           postgres__run_by_rows(connection, take_history, &all);
}

/* The statement that inserts a row with this many values. */
static void write_question(char text[QUESTION_BYTES], int values)
{
#define CHANGE(sign, width, type, name) #name " = excluded." #name ", "
    int length = snprintf(text, QUESTION_BYTES,
                          "INSERT INTO history (" JOURNAL_HISTORY_COLUMNS ") VALUES ($1");
    for (int i = 2; i <= values; i++) {
        length += snprintf(text + length, QUESTION_BYTES - (size_t)length, ", $%d", i);
    }
    length += snprintf(text + length, QUESTION_BYTES - (size_t)length, "%s",
                       ") ON CONFLICT (experiment, epoch) DO UPDATE SET minute = "
                       "excluded.minute, " JOURNAL_STATISTIC_MAP(
                           CHANGE) "alarms = excluded.alarms, digest = excluded.digest");
#undef CHANGE
    assert((size_t)length < QUESTION_BYTES);
    (void)length;
}

bool postgres__put_history(postgres_connection *connection, const journal_history *history)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    char question[QUESTION_BYTES];
    journal__digest_history(history, digest);
#define VALUE(sign, width, type, name) POSTGRES_##sign(history->name),
    const postgres_value value[] = {
        POSTGRES_U(history->experiment),
        POSTGRES_U(history->epoch),
        POSTGRES_U(history->minute),
        JOURNAL_STATISTIC_MAP(VALUE) /* in the order of the map */
        POSTGRES_U(history->alarms),
        POSTGRES_BYTES(digest, sizeof digest),
    };
#undef VALUE
    write_question(question, COUNT(value));
    return postgres__queue(connection, question, value, COUNT(value));
}
