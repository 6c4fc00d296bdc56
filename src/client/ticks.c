/*
 * From a statistic f and its noise to ticks: value = f/2^grid_log2, rounded, clipped, plus noise.
 *
 * The scaling is by a power of two and the rest is in integers, so no low bit of a double leaves.
 * All blocks take the same work, whichever of them holds the statistic. A sum beyond 32 bits is cut
 * off at the end: that is a function of the sum, so it costs no privacy.
 */
#include "ticks.h"
#include "clip.h"

#include <math.h>

static int64_t quantise(const sotto_lattice *lattice, double f)
{
    double ticks = rint(ldexp(sotto__finite_or_zero(f), -lattice->grid_log2));
    double clip = lattice->clip_ticks;
    return (int64_t)fmax(-clip, fmin(clip, ticks));
}

static int32_t saturate(int64_t sum)
{
    int64_t upper = sum < INT32_MAX ? sum : INT32_MAX;
    return (int32_t)(upper > INT32_MIN ? upper : INT32_MIN);
}

void sotto__add_noise(const sotto_lattice *lattice, const double *f, uint32_t block_dim,
                      uint32_t block, const int64_t *noise, int32_t *value)
{
    for (uint32_t i = 0; i < lattice->dim; i++) {
        int64_t ticks = quantise(lattice, f[i % block_dim]) * (i / block_dim == block);
        value[i] = saturate(ticks + noise[i]);
    }
}
