/*
 * From a statistic f and its noise to ticks: value = f/2^grid_log2, rounded, clipped, plus noise.
 *
 * The scaling is by a power of two and the rest is in integers, so no low bit of a double leaves.
 * All blocks take the same work, whichever of them holds the statistic. A sum beyond 32 bits is cut
 * off at the end: that is a function of the sum, so it costs no privacy.
 */
#include "ticks.h"
#include "clip.h"
#include "core/secret.h"
#include "wipe.h"

#include <math.h>

#define PART 64 /* coordinates that are rounded before they are added */

/* per_unit: ticks in 1, a power of two, so that the product is exact. The clip is of the size, and
 * the sign comes back as a bit: of two comparisons a compiler may make a branch on the secret. So it
 * does of rint; the size is below 2^32, and 2^52 added to it leaves no place for a fraction: it is
 * rounded to the nearest whole number, to the even one of two. */
static int64_t quantise(double per_unit, double clip, double f)
{
    double size = sotto__at_most(fabs(sotto__finite_or_zero(f) * per_unit), clip);
    double whole = (size + 0x1p52) - 0x1p52;
    return (int64_t)copysign(whole, f);
}

/* By bits: of conditional expressions a compiler may make a branch. */
static int32_t saturate(int64_t sum)
{
    int64_t above = 0 - (int64_t)(sum > INT32_MAX), below = 0 - (int64_t)(sum < INT32_MIN);
    return (int32_t)((sum & ~(above | below)) | (INT32_MAX & above) | (INT32_MIN & below));
}

void sotto__add_noise(const sotto_lattice *lattice, const double *f, uint32_t block_dim,
                      uint32_t block, const int64_t *noise, int32_t *value)
{
    double per_unit = ldexp(1, -lattice->grid_log2), clip = lattice->clip_ticks;
    uint32_t blocks = lattice->dim / block_dim;
    int64_t ticks[PART];
    for (uint32_t start = 0; start < block_dim; start += PART, f += PART) {
        uint32_t count = block_dim - start < PART ? block_dim - start : PART;
        for (uint32_t i = 0; i < count; i++) {
            ticks[i] = quantise(per_unit, clip, f[i]);
        }
        for (uint32_t b = 0; b < blocks; b++) {
            size_t at = (size_t)b * block_dim + start;
            int64_t here = (int64_t)sotto__mask(b == block);
            for (uint32_t i = 0; i < count; i++) {
                value[at + i] = saturate((ticks[i] & here) + noise[at + i]);
            }
        }
    }
    sotto__wipe(ticks, sizeof ticks);
}
