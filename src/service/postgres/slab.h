/* Slabs: the partitions of the table `journal`. A slab's number is experiment * 2^20 + 1, 2, … */
#ifndef SERVICE_POSTGRES_SLAB_H
#define SERVICE_POSTGRES_SLAB_H

#include "connection.h"

#define POSTGRES_SLABS_MAX (UINT64_C(1) << 20)
#define POSTGRES_EXPERIMENTS_MAX UINT32_C(2147483647)

/* The first and the last number that a slab of the experiment may have. */
uint64_t postgres__slab_first(uint32_t experiment);
uint64_t postgres__slab_last(uint32_t experiment);

/* Queues the making of an empty slab, in a transaction of the caller. It is made beside the table and then
 * attached, so that rows of other slabs go on meanwhile. */
bool postgres__slab_make(postgres_connection *connection, uint64_t slab);
/* Queues its removal. The caller has locked it. */
bool postgres__slab_drop(postgres_connection *connection, uint64_t slab);

#endif
