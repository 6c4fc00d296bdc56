/* Secret randomness, handed in: what draws takes a sotto_rng, and what fails to fill it fails. */
#ifndef SOTTO_ENTROPY_H
#define SOTTO_ENTROPY_H

#include "side.h"

#include <sotto/core.h>

typedef struct sotto_rng sotto_rng;
struct sotto_rng {
    /* Fills all of `out` with unpredictable bytes, or returns SOTTO_E_ENTROPY. */
    sotto_status (*fill)(sotto_rng *rng, void *out, size_t bytes);
};

/* The system's generator; it has no state here and no weaker second choice. */
sotto_rng sotto__system_rng(void);

SOTTO_CHECK sotto_status sotto__draw_u64(sotto_rng *rng, uint64_t *out);

/* Uniform in [0, bound), bound >= 1, exactly: draws again on the remainder. How often depends on
 * the bound and on chance, never on a secret. */
SOTTO_CHECK sotto_status sotto__draw_below(sotto_rng *rng, uint64_t bound, uint64_t *out);

#endif
