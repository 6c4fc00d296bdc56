/*
 * The rows of a log in groups, and the groups in folds.
 *
 * Sums by group are all that is kept of the rows: memory does not depend on how many there are, and
 * groups can be drawn again where rows are gone (bootstrap.h). Row i is of group i mod G: up to G rows,
 * a group is a row. G is a prime, so that no usual period of a file (slots, hours, weekdays) gives
 * a group rows of one kind only. All rows of a group are in one fold.
 */
#ifndef SOTTO_LAB_REPLAY_GROUP_H
#define SOTTO_LAB_REPLAY_GROUP_H

#include <stdint.h>

#define SOTTO__GROUPS 1009u
#define SOTTO__FOLDS 5u

static inline uint32_t sotto__group_of(uint64_t row)
{
    return (uint32_t)(row % SOTTO__GROUPS);
}

/* By the upper bits of a product (Knuth's multiplicative hashing), so that folds have no period. */
static inline uint32_t sotto__fold_of(uint64_t row)
{
    uint32_t mixed = (sotto__group_of(row) + 1) * UINT32_C(2654435761);
    return (uint32_t)((uint64_t)mixed * SOTTO__FOLDS >> 32);
}

#endif
