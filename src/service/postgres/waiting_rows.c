#include "waiting_rows.h"

#include "column.h"
#include "slab.h"

/* The cut of the last model (or of the end) is read by the database: 44 bytes per gateway (cut.c). Rows after it are
 * found by the primary keys of the slabs, so this costs by what waits. */
#define WAITING                                                                                    \
    "WITH last AS MATERIALIZED (SELECT coalesce((SELECT cut FROM ended WHERE experiment = $1), "   \
    "(SELECT cut "                                                                                 \
    "FROM model WHERE experiment = $1 ORDER BY epoch DESC LIMIT 1), ''::bytea) AS cut), "          \
    "place AS MATERIALIZED (SELECT (SELECT sum(get_byte(cut, 44 * i + b)::bigint << 8 * b) FROM "  \
    "generate_series(0, 3) AS b)::bigint AS gateway, (SELECT sum(get_byte(cut, 44 * i + 4 + "      \
    "b)::bigint << 8 * b) FROM generate_series(0, 7) AS b)::bigint AS gseq FROM last, "            \
    "generate_series(0, octet_length(cut) / 44 - 1) AS i) "                                        \
    "SELECT coalesce(sum(new.reports), 0)::bigint FROM gateway AS g LEFT JOIN place AS p ON "      \
    "p.gateway = g.number CROSS JOIN LATERAL (SELECT sum(j.reports) AS reports FROM journal AS "   \
    "j WHERE j.slab BETWEEN $2 AND $3 AND j.gateway = g.number AND j.gseq > coalesce(p.gseq, "     \
    "0)) AS new"

static bool take_waiting(void *self, int question, const PGresult *result)
{
    uint64_t *reports = self;
    return postgres__column_u64(result, 0, 0, &reports[question]);
}

bool postgres__read_waiting(postgres_connection *connection, const uint32_t *experiment,
                            uint32_t count, uint64_t *reports)
{
    for (uint32_t i = 0; i < count; i++) {
        const postgres_value value[] = {POSTGRES_U(experiment[i]),
                                        POSTGRES_U(postgres__slab_first(experiment[i])),
                                        POSTGRES_U(postgres__slab_last(experiment[i]))};
        if (!postgres__queue(connection, WAITING, value, 3)) return false;
    }
    return count == 0 || postgres__run(connection, take_waiting, reports);
}
