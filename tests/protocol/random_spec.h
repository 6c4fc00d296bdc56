/* Specs of every kind, the same on every machine: integers, and doubles that are made exactly. */
#ifndef SOTTO_RANDOM_SPEC_H
#define SOTTO_RANDOM_SPEC_H

#include <sotto/core.h>

/* SplitMix64: a test's draws, which need no library. */
typedef struct draws {
    uint64_t state;
} draws;

uint64_t draw_word(draws *d);
uint32_t draw_below(draws *d, uint32_t bound);
double draw_between(draws *d, double lo, double hi);

/* Most of them resolve; the caller draws again where one does not. */
sotto_spec random_spec(draws *d);

#endif
