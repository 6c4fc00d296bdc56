/* A small comparison with results made by hand. */
#ifndef SOTTO_COMPARISONS_H
#define SOTTO_COMPARISONS_H

#include "lab/run/run.h"

enum {
    SMALL_MATCHES = 4,
    SMALL_SEEDS = 3,
    SMALL_POINTS = 2,
    SMALL_RUNS = SMALL_MATCHES * SMALL_SEEDS
};

/* sotto and ols at epsilon 0.5 and 2 (matches 0, 1 and 2, 3), seeds 7 to 9, rounds 10 and 400. */
void small_comparison_new(sotto__comparison *out);

/* Takes run r with regret (r + 1) t and estimation error 1/(r + 1), 2 seconds and r repairs. */
void small_take(sotto__results *results, const sotto__comparison *comparison, uint64_t run);

#endif
