/* What a tally is made of. */
#ifndef SOTTO_TALLY_H
#define SOTTO_TALLY_H

#include "side.h"

#include <sotto/server.h>

struct sotto_tally {
    sotto_terms terms;
    uint32_t epoch;
    sotto_phase phase;
    uint64_t count;      /* reports folded */
    uint32_t sums_count; /* dim, arms x dim, or ticks */
    int64_t *sum;
    uint64_t *arm_count; /* arms: reports of each, where sotto__tally_counts_arms; else 0 */
    int32_t *codeword;   /* scratch of fold */
    int8_t *sign;        /* scratch of fold: arms */
};

/* Empties a tally for another epoch of its spec, in a phase that the spec has. */
void sotto__tally_begin(sotto_tally *tally, uint32_t epoch, sotto_phase phase);

/* True if each report counts for one arm only: per-arm warm-up, and tags. */
bool sotto__tally_counts_arms(const sotto_tally *tally);

#endif
