/*
 * From a statistic f and its noise to ticks: value = f/2^grid_log2, rounded, clipped, plus noise.
 *
 * The scaling is by a power of two and the rest is in integers, so no low bit of a double leaves.
 * All blocks take the same work, whichever of them holds the statistic. A sum beyond 32 bits is cut
 * off at the end: that is a function of the sum, so it costs no privacy.
 */
#include "ticks.h"
#include "core/linalg.h"
#include "core/secret.h"
#include "wipe.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PART 64 /* coordinates that are rounded before they are added */

/* Two numbers of f, given by their bits, in ticks. per_unit: ticks in 1, a power of two, so that the
 * product is exact. The clip is of the size, and the sign comes back as a bit. The size is below 2^32, and
 * 2^52 added to it leaves no place for a fraction: it is rounded to the nearest whole number, to the even
 * one of two, and stands in the low bits. By bits: of conditions, and of rint, a compiler may make a branch. */
static sotto__pair_bits quantise(double per_unit, double clip, sotto__pair_bits f)
{
    const sotto__pair most = {clip, clip}, shift = {0x1p52, 0x1p52};
    sotto__pair_bits negative = f >> 63, size = f & INT64_MAX;
    size &= (sotto__pair)size <= DBL_MAX; /* 0 of what is not finite */
    sotto__pair scaled = (sotto__pair)size * per_unit;
    scaled = sotto__pair_either(scaled < most, scaled, most);
    sotto__pair_bits ticks = (sotto__pair_bits)(scaled + shift) - (sotto__pair_bits)shift;
    return (ticks ^ negative) - negative;
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
    int64_t ticks[PART] = {0}; /* first the bits of f */
    for (uint32_t start = 0; start < block_dim; start += PART, f += PART) {
        uint32_t count = block_dim - start < PART ? block_dim - start : PART;
        memcpy(ticks, f, count * sizeof ticks[0]);
        for (uint32_t i = 0; i < count; i += 2) { /* PART is even: there is always a second one */
            sotto__pair_bits two;
            memcpy(&two, ticks + i, sizeof two);
            two = quantise(per_unit, clip, two);
            memcpy(ticks + i, &two, sizeof two);
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
