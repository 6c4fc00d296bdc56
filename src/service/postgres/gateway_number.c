#include "gateway_number.h"

#include "column.h"
#include "locks.h"

#define NUMBER_TRIES 100

/* The lock is held before the row can be seen: a gateway whose lock is free has ended. */
#define NEW_GATEWAY                                                                                \
    "INSERT INTO gateway (number) SELECT n FROM (SELECT nextval('gateway_number') AS n OFFSET 0) " \
    "AS next WHERE pg_try_advisory_lock(" POSTGRES_GATEWAY_LOCKS ", n::integer) RETURNING number"

/* No row: the lock was held, by a gateway of tables that are no more. */
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
    return *number > 0 || postgres__refuse(connection, "the database gave no number for a gateway");
}
