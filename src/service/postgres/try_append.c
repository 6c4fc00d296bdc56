#include "try_append.h"

#include <string.h>

/* The largest body that every experiment takes: a try that fails must not be dear. */
#define TRY_BYTES_MAX ((size_t)1 << 20)

/* No row of a gateway has gseq 0, so that it meets no other one. */
#define TRY                                                                                        \
    "INSERT INTO journal (experiment, gateway, gseq, slab, epoch, reports, late, duplicate, "      \
    "conflicting, frames, digest) SELECT e.number, $2::bigint, 0, e.slab, 0, 0, 0, 0, 0, "         \
    "decode(repeat('00', $3::bigint::integer), 'hex'), '' FROM experiment AS e WHERE e.number = "  \
    "$1::bigint AND e.state < 2"

/* By the numbers of the standard: 23 is a constraint, XX001 and XX002 are a damaged table or index. */
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
    if (strcmp(connection->sqlstate, "25006") == 0) return "its database takes no changes";
    return NULL;
}
