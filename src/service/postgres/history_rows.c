#include "history_rows.h"

#include "column.h"
#include "row_digest.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define COLUMNS                                                                                    \
    "experiment, epoch, minute, publishes, learn, control, follow, control_sum, follow_sum, "      \
    "late, "                                                                                       \
    "duplicate, conflicting, alarms, digest"

static bool history_of(const PGresult *result, int row, journal_history *out)
{
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    if (!postgres__column_u32(result, row, 0, &out->experiment) ||
        !postgres__column_u32(result, row, 1, &out->epoch) ||
        !postgres__column_u64(result, row, 2, &out->minute) ||
        !postgres__column_u32(result, row, 3, &out->publishes) ||
        !postgres__column_u64(result, row, 4, &out->learn) ||
        !postgres__column_u64(result, row, 5, &out->control) ||
        !postgres__column_u64(result, row, 6, &out->follow) ||
        !postgres__column_i64(result, row, 7, &out->control_sum) ||
        !postgres__column_i64(result, row, 8, &out->follow_sum) ||
        !postgres__column_u64(result, row, 9, &out->late) ||
        !postgres__column_u64(result, row, 10, &out->duplicate) ||
        !postgres__column_u64(result, row, 11, &out->conflicting) ||
        !postgres__column_u32(result, row, 12, &out->alarms) ||
        !postgres__column_exact(result, row, 13, stored, sizeof stored))
        return false;
    postgres__digest_history(out, digest);
    return memcmp(digest, stored, sizeof digest) == 0;
}

typedef struct reading {
    postgres_connection *connection;
    bool (*take)(void *self, const journal_history *);
    void *self;
} reading;

static bool take_history(void *self, int question, const PGresult *result)
{
    reading *all = self;
    char place[200];
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        journal_history history = {.epoch = 0};
        if (!history_of(result, row, &history)) {
            return postgres__refuse(
                all->connection,
                "%s is damaged: the history of experiment %u at epoch %u cannot be "
                "read, or its digest is wrong. Restore a copy",
                postgres__place(all->connection, place, sizeof place), history.experiment,
                history.epoch);
        }
        if (!all->take(all->self, &history)) return false;
    }
    return true;
}

bool postgres__read_history(postgres_connection *connection, uint32_t experiment, uint64_t from,
                            uint64_t before, bool (*take)(void *self, const journal_history *),
                            void *self)
{
    reading all = {.connection = connection, .take = take, .self = self};
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(from), POSTGRES_U(before)};
    return postgres__queue(connection,
                           "SELECT " COLUMNS " FROM history WHERE ($1 = 0 OR experiment = $1) AND "
                           "minute >= $2 AND minute < $3 ORDER BY experiment, epoch",
                           value, COUNT(value)) &&
           postgres__run_by_rows(connection, take_history, &all);
}

bool postgres__put_history(postgres_connection *connection, const journal_history *history)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    postgres__digest_history(history, digest);
    const postgres_value value[] = {
        POSTGRES_U(history->experiment), POSTGRES_U(history->epoch),
        POSTGRES_U(history->minute),     POSTGRES_U(history->publishes),
        POSTGRES_U(history->learn),      POSTGRES_U(history->control),
        POSTGRES_U(history->follow),     POSTGRES_I(history->control_sum),
        POSTGRES_I(history->follow_sum), POSTGRES_U(history->late),
        POSTGRES_U(history->duplicate),  POSTGRES_U(history->conflicting),
        POSTGRES_U(history->alarms),     POSTGRES_BYTES(digest, sizeof digest),
    };
    return postgres__queue(
        connection,
        "INSERT INTO history (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
        "$12, $13, $14) ON CONFLICT (experiment, epoch) DO UPDATE SET minute = excluded.minute, "
        "publishes = excluded.publishes, learn = excluded.learn, control = excluded.control, "
        "follow = excluded.follow, control_sum = excluded.control_sum, follow_sum = "
        "excluded.follow_sum, late = excluded.late, duplicate = excluded.duplicate, conflicting = "
        "excluded.conflicting, alarms = excluded.alarms, digest = excluded.digest",
        value, COUNT(value));
}
