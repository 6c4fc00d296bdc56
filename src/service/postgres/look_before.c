#include "look_before.h"

#include "column.h"
#include "held_rows.h"
#include "session.h"

static bool take_before(void *self, int question, const PGresult *result)
{
    postgres_before *out = self;
    if (question < out->first || PQntuples(result) == 0) return true; /* BEGIN; or there is none */
    if (question == out->first) {
        out->found = true;
        return postgres__column_u32(result, 0, 0, &out->state) &&
               postgres__column_bool(result, 0, 1, &out->keeps);
    }
    if (question == out->first + 1)
        return postgres__column_u32(result, 0, 0, &out->epoch) &&
               postgres__column_exact(result, 0, 1, out->digest, sizeof out->digest);
    if (postgres__held_of(result, 0, 0, &out->held) && out->held.epoch != out->epoch)
        out->held = (journal_held){.reports = 0};
    return true;
}

bool postgres__look_before(postgres_connection *connection, uint32_t experiment,
                           postgres_before *out)
{
    const postgres_value number[] = {POSTGRES_U(experiment)};
    *out = (postgres_before){.first = connection->queued};
    return postgres__queue(connection,
                           "SELECT state, " POSTGRES_KEEPS
                           " FROM experiment WHERE number = $1 FOR UPDATE",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT epoch, digest FROM model WHERE experiment = $1 "
                           "ORDER BY epoch DESC LIMIT 1",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT " POSTGRES_HELD_COLUMNS
                           " FROM held AS h WHERE h.experiment = $1",
                           number, 1) &&
           postgres__run(connection, take_before, out);
}
