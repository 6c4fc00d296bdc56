/* Random numbers for tests that must not use the project's own generators. */
#ifndef SOTTO_DRAWS_H
#define SOTTO_DRAWS_H

#include <math.h>
#include <stdint.h>

static uint64_t state_of_draws;

static inline double uniform(void)
{
    state_of_draws = state_of_draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state_of_draws >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(void)
{
    double r = sqrt(-2 * log(uniform()));
    return r * cos(2 * acos(-1) * uniform());
}

#endif
