/* The publisher's side of the database in memory (shared_memory.h), linked in place of
 * PostgreSQL's. */
#ifndef SOTTO_FOLDING_MEMORY_H
#define SOTTO_FOLDING_MEMORY_H

#include "service/store/postgres/postgres.h"
#include "shared_memory.h"

/* Calls counted since the start. */
typedef struct folding_memory_calls {
    uint32_t rows_read, waiting, retained, settled, arrivals, taken;
    /* Of the last folding_retain. */
    uint32_t oldest_open, keep_models_from, cut_places;
    bool keep_reports;
} folding_memory_calls;
folding_memory_calls folding_memory_look(void);

/* The next publish finds that another publisher came first, with this model. */
void folding_memory_fence(const shared_model *by);

/* For the next `times` calls folding_settle finds a gateway busy. */
void folding_memory_unsettled(uint32_t times);

/* For the next `times` calls folding_retain finds the rows to remove busy. */
void folding_memory_busy(uint32_t times);

#endif
