#include "inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== gateway number ========================================================================= */

#define NUMBER_TRIES 100

/* The lock is taken before the row becomes visible, so a gateway whose lock is free has ended. */
#define NEW_GATEWAY                                                                                \
    "INSERT INTO gateway (number) SELECT n FROM (SELECT nextval('gateway_number') "                \
    "AS n OFFSET 0) "                                                                              \
    "AS next WHERE pg_try_advisory_lock(" POSTGRES_GATEWAY_LOCKS ", n::integer) RETURNING number"

/* No row: the lock is held by a gateway of tables that were replaced. */
static bool take_number(void *self, int question, const PGresult *result)
{
    (void)question;
    return PQntuples(result) == 0 || postgres__column_u32(result, 0, 0, self);
}

bool postgres__number_gateway(postgres_connection *connection, uint32_t *number)
{
    *number = 0;
    for (int tries = 0; tries < NUMBER_TRIES && *number == 0; tries++) {
        if (!postgres__ask(connection, NEW_GATEWAY, NULL, 0, take_number, number)) return false;
    }
    return *number > 0 || postgres__refuse(connection, "the database assigned no gateway number");
}

/* ==== slab =================================================================================== */

uint64_t postgres__slab_first(uint32_t experiment)
{
    return (uint64_t)experiment * POSTGRES_SLABS_MAX + 1;
}

uint64_t postgres__slab_last(uint32_t experiment)
{
    return (uint64_t)experiment * POSTGRES_SLABS_MAX + POSTGRES_SLABS_MAX - 1;
}

bool postgres__slab_make(postgres_connection *connection, uint64_t slab)
{
    char make[160], key[160], attach[160];
    snprintf(make, sizeof make,
             "CREATE TABLE journal_%" PRIu64 " (LIKE journal INCLUDING DEFAULTS INCLUDING STORAGE)",
             slab);
    /* Rows are read by gateway and gseq; the other columns allow counting without reading rows. */
    snprintf(key, sizeof key,
             "ALTER TABLE journal_%" PRIu64
             " ADD PRIMARY KEY (gateway, gseq) INCLUDE (reports, epoch)",
             slab);
    snprintf(attach, sizeof attach,
             "ALTER TABLE journal ATTACH PARTITION journal_%" PRIu64 " FOR VALUES IN (%" PRIu64 ")",
             slab, slab);
    return postgres__queue(connection, make, NULL, 0) &&
           postgres__queue(connection, key, NULL, 0) &&
           postgres__queue(connection, attach, NULL, 0);
}

bool postgres__slab_drop(postgres_connection *connection, uint64_t slab)
{
    char drop[80];
    snprintf(drop, sizeof drop, "DROP TABLE journal_%" PRIu64, slab);
    return postgres__queue(connection, drop, NULL, 0);
}

/* ==== look before ============================================================================ */

static bool take_before(void *self, int question, const PGresult *result)
{
    postgres_before *out = self;
    /* BEGIN, or no such row */
    if (question < out->first || PQntuples(result) == 0) return true;
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

/* ==== try append ============================================================================= */

/* The database knows the current slab. The row is refused if there is no partition for it; if the gateway is not in
 * its table (for example after a restore), because no publisher would ever read the row; and if the server no longer
 * keeps what it acknowledges. */
#define APPEND                                                                                     \
    "WITH arrived AS (INSERT INTO arrival (experiment, gateway, tick) VALUES ($1, $2, $10) ON "    \
    "CONFLICT (experiment, gateway) DO UPDATE SET tick = excluded.tick) "                          \
    "INSERT INTO journal (experiment, gateway, gseq, slab, epoch, reports, late, duplicate, "      \
    "conflicting, frames, digest) SELECT $1::bigint, (SELECT number FROM gateway WHERE number = "  \
    "$2::bigint AND " POSTGRES_KEEPS "), $3::bigint, e.slab, $4::bigint, "                         \
    "coalesce(octet_length($8::bytea) / e.report_bytes, 0), $5::bigint, $6::bigint, $7::bigint, "  \
    "$8::bytea, $9::bytea FROM (SELECT 1) AS one LEFT JOIN experiment AS e ON e.number = $1 AND "  \
    "e.state < 2"

/* The largest body that every experiment accepts: a failing attempt must stay cheap. */
#define TRY_BYTES_MAX ((size_t)1 << 20)

/* gseq 0 is unused, so the row cannot collide with another one. */
#define TRY                                                                                        \
    "INSERT INTO journal (experiment, gateway, gseq, slab, epoch, reports, late, duplicate, "      \
    "conflicting, frames, digest) SELECT e.number, $2::bigint, 0, e.slab, 0, 0, 0, 0, 0, "         \
    "decode(repeat('00', $3::bigint::integer), 'hex'), '' FROM experiment AS e WHERE e.number = "  \
    "$1::bigint AND e.state < 2"

/* By SQLSTATE: class 23 is a violated constraint, XX001 and XX002 are a damaged table or index. */
static bool is_of_one(const char *sqlstate)
{
    return strncmp(sqlstate, "23", 2) == 0 || strcmp(sqlstate, "XX001") == 0 ||
           strcmp(sqlstate, "XX002") == 0;
}

bool postgres__try_append(postgres_connection *connection, uint32_t gateway,
                          const postgres_refused *refused)
{
    const postgres_value value[] = {
        POSTGRES_U(refused->experiment),
        POSTGRES_U(gateway),
        POSTGRES_U(refused->bytes < TRY_BYTES_MAX ? refused->bytes : TRY_BYTES_MAX),
    };
    bool done = postgres__queue(connection, "BEGIN", NULL, 0) &&
                postgres__ask(connection, TRY, value, 3, NULL, NULL);
    bool takes_others = connection->pg != NULL && is_of_one(connection->sqlstate);
    postgres__rollback(connection);
    return done || takes_others;
}

const char *postgres__reason(const postgres_connection *connection)
{
    if (connection->pg == NULL) return "there is no connection to its database";
    if (strcmp(connection->sqlstate, "53100") == 0) return "the disk of its database is full";
    if (strcmp(connection->sqlstate, "25006") == 0) return "its database is read-only";
    return NULL;
}

bool postgres__prepare_append(postgres_connection *connection)
{
    return postgres__prepare(connection, "append", APPEND);
}

bool postgres__queue_append(postgres_connection *connection, uint32_t gateway, uint64_t tick,
                            const journal_row *row, const uint8_t digest[JOURNAL_DIGEST_BYTES])
{
    const postgres_value value[] = {
        POSTGRES_U(row->experiment),
        POSTGRES_U(gateway),
        POSTGRES_U(row->seq),
        POSTGRES_U(row->epoch),
        POSTGRES_U(row->late),
        POSTGRES_U(row->duplicate),
        POSTGRES_U(row->conflicting),
        POSTGRES_BYTES(row->frames.at, row->frames.bytes),
        POSTGRES_BYTES(digest, JOURNAL_DIGEST_BYTES),
        POSTGRES_U(tick),
    };
    return postgres__queue_prepared(connection, "append", value, sizeof value / sizeof value[0]);
}
