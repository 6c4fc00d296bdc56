/* A table of answers: how often each came for either secret. */
#ifndef SOTTO_LAB_AUDIT_TABLE_H
#define SOTTO_LAB_AUDIT_TABLE_H

#include <sotto/core.h>

#include <stdint.h>

typedef struct sotto__table sotto__table;

/* Room for `answers_max` different answers. */
SOTTO_CHECK sotto_status sotto__table_new(uint64_t answers_max, sotto__table **out);
void sotto__table_free(sotto__table *table);

/* The answer with this key came once more; at most answers_max different ones may. */
void sotto__table_add(sotto__table *table, uint64_t key, uint32_t secret);

/* ln (n0 + 1/2)/(n1 + 1/2), n how often it came for secret 0 and 1; 0 if it never came. */
double sotto__table_ratio(const sotto__table *table, uint64_t key);

#endif
