#include "inner.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

bool postgres__held_of(const PGresult *result, int row, int column, journal_held *out)
{
    uint32_t decision;
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    journal_held held = {.reports = 0};
    *out = held;
    if (!postgres__column_u32(result, row, column, &held.experiment) ||
        !postgres__column_u32(result, row, column + 1, &held.epoch) ||
        !postgres__column_u32(result, row, column + 2, &held.alarms) ||
        !postgres__column_u64(result, row, column + 3, &held.reports) ||
        !postgres__column_u32(result, row, column + 4, &decision) ||
        !postgres__column_exact(result, row, column + 5, stored, sizeof stored) ||
        decision > JOURNAL_DISCARD)
        return false;
    held.decision = (journal_kind)decision;
    postgres__digest_held(&held, digest);
    if (memcmp(digest, stored, sizeof digest) != 0) return false;
    *out = held;
    return true;
}

typedef struct held_reader {
    bool (*take)(void *self, const journal_held *);
    void *self;
} held_reader;

static bool take_held(void *self, int question, const PGresult *result)
{
    const held_reader *all = self;
    journal_held held;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        if (postgres__held_of(result, row, 0, &held) && !all->take(all->self, &held)) return false;
    }
    return true;
}

bool postgres__read_held(postgres_connection *connection,
                         bool (*take)(void *self, const journal_held *), void *self)
{
    held_reader all = {take, self};
    return postgres__ask(connection,
                         "SELECT " POSTGRES_HELD_COLUMNS " FROM held AS h ORDER BY h.experiment",
                         NULL, 0, take_held, &all);
}

bool postgres__put_held(postgres_connection *connection, const journal_held *held)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    postgres__digest_held(held, digest);
    const postgres_value value[] = {
        POSTGRES_U(held->experiment), POSTGRES_U(held->epoch),
        POSTGRES_U(held->alarms),     POSTGRES_U(held->reports),
        POSTGRES_U(held->decision),   POSTGRES_BYTES(digest, sizeof digest),
    };
    return postgres__queue(connection,
                           "INSERT INTO held (experiment, epoch, alarms, reports, decision, "
                           "digest) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (experiment) DO "
                           "UPDATE SET epoch = excluded.epoch, alarms = excluded.alarms, reports = "
                           "excluded.reports, decision = excluded.decision, digest = "
                           "excluded.digest",
                           value, COUNT(value));
}

bool postgres__remove_held(postgres_connection *connection, uint32_t experiment)
{
    const postgres_value number[] = {POSTGRES_U(experiment)};
    return postgres__queue(connection, "DELETE FROM held WHERE experiment = $1", number, 1);
}
