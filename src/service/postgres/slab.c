#include "slab.h"

#include <inttypes.h>
#include <stdio.h>

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
    /* Rows are read by gateway and gseq; the rest is there for counting without reading the rows. */
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
