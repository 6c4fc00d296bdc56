#include "held_rows.h"

#include "column.h"
#include "locks.h"
#include "row_digest.h"

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

typedef struct reading {
    bool (*take)(void *self, const journal_held *);
    void *self;
} reading;

static bool take_held(void *self, int question, const PGresult *result)
{
    const reading *all = self;
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
    reading all = {take, self};
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

/* ---- deciding ----------------------------------------------------------------------------- */

/* What is there already. */
typedef struct deciding {
    int first;             /* question */
    uint32_t state, epoch; /* of the newest model */
    journal_held held;
} deciding;

static bool take_deciding(void *self, int question, const PGresult *result)
{
    deciding *out = self;
    bool found = PQntuples(result) > 0;
    if (question < out->first || !found) return true; /* BEGIN; or there is none */
    if (question == out->first) return postgres__column_u32(result, 0, 0, &out->state);
    if (question == out->first + 1) return postgres__column_u32(result, 0, 0, &out->epoch);
    postgres__held_of(result, 0, 0, &out->held);
    return true;
}

/* Locks the experiment's row, as a publish does: one of the two comes first, and the other sees it. */
static bool look(postgres_connection *connection, uint32_t experiment, deciding *out)
{
    const postgres_value number[] = {POSTGRES_U(experiment)};
    out->first = connection->queued;
    return postgres__queue(connection, "SELECT state FROM experiment WHERE number = $1 FOR UPDATE",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT coalesce(max(epoch), 0) FROM model WHERE experiment = $1",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT " POSTGRES_HELD_COLUMNS
                           " FROM held AS h WHERE h.experiment = $1",
                           number, 1) &&
           postgres__run(connection, take_deciding, out);
}

bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held)
{
    deciding found = {.state = JOURNAL_DELETED};
    *held = false;
    if (decision != JOURNAL_PUBLISH && decision != JOURNAL_DISCARD)
        return postgres__refuse(connection,
                                "a held epoch is decided with %u: allowed are 1, publish, and 2, "
                                "discard",
                                (unsigned)decision);
    if (!look(connection, experiment, &found)) return false;
    if (found.state != JOURNAL_OPEN || found.held.reports == 0 || found.held.epoch != epoch ||
        found.epoch != epoch) {
        connection->changed = true; /* who asks does not know it yet */
        return true;
    }
    found.held.decision = decision;
    *held = postgres__put_held(connection, &found.held) &&
            postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
    return *held;
}
