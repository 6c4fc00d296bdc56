#include "core/core.h"
#include "inner.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ==== ticks ================================================================================== */

/*
 * From a statistic f and its noise to ticks: value = f/2^grid_log2, rounded, clipped, plus noise.
 *
 * The scaling is by a power of two and the rest is in integers, so no low bit of a double leaves.
 * All blocks take the same work, whichever of them holds the statistic. A sum beyond 32 bits is cut
 * off at the end: that is a function of the sum, so it costs no privacy.
 */

#define PART 64 /* coordinates that are rounded before they are added */

/* Two numbers of f, given by their bits, in ticks. per_unit: ticks in 1, a power of two, so that the product
 * is exact. The clip is of the size, and the sign comes back as a bit. The size is below 2^32, and 2^52
 * added to it leaves no place for a fraction: it is rounded to the nearest whole number, to the even one of
 * two, and stands in the low bits. It works on bits, because compilers may turn conditions and rint into
 * branches. */
static sotto__pair_bits quantise(double per_unit, double clip, sotto__pair_bits f)
{
    const sotto__pair most = {clip, clip}, shift = {0x1p52, 0x1p52};
    sotto__pair_bits negative = f >> 63, size = f & INT64_MAX;
    size &= (sotto__pair)size <= DBL_MAX; /* 0 for numbers that are not finite */
    sotto__pair scaled = (sotto__pair)size * per_unit;
    scaled = sotto__pair_either(scaled < most, scaled, most);
    sotto__pair_bits ticks = (sotto__pair_bits)(scaled + shift) - (sotto__pair_bits)shift;
    return (ticks ^ negative) - negative;
}

/* On bits, because compilers may turn conditional expressions into branches. */
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
    int64_t ticks[PART] = {0}; /* holds the bits of f first */
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

/* ==== lattice noise ========================================================================== */

/*
 * Exact integer noise.
 *
 *   gaussian   round(sigma N), N standard normal: Karney, "Sampling exactly from the normal
 *              distribution" (2016), algorithms N, H, B. Rounding is post-processing of the
 *              continuous mechanism, so the analytic calibration holds as it stands.
 *   laplace    P(n) = e^(-|n|/b) (e^(1/b) - 1)/(e^(1/b) + 1): Canonne, Kamath, Steinke (2020),
 *              algorithms 1 and 2.
 *
 * Everything is a comparison of uniform integers. A uniform real of (0, 1) is a list of 32-bit
 * digits, drawn as far as a comparison asks for them.
 */

/* ---- random words ------------------------------------------------------------------------- */

#define POOL_BYTES 512u
/* A sample takes about 20 words; the chance of one that takes 65,536 is far below 2^-200, unless the
 * generator is stuck. */
#define SAMPLE_WORDS_MAX 65536u

/* Words for one call of sotto__lattice_noise; wiped at its end. */
typedef struct pool {
    sotto_rng *rng;
    sotto_status status; /* once it is not SOTTO_OK, every word is 0 and samples end */
    uint32_t used_bytes;
    uint32_t sample_words; /* drawn for the present sample */
    uint8_t bytes[POOL_BYTES];
} pool;

static uint32_t next_word(pool *p)
{
    if (++p->sample_words > SAMPLE_WORDS_MAX && p->status == SOTTO_OK) p->status = SOTTO_E_ENTROPY;
    if (p->status == SOTTO_OK && p->used_bytes == POOL_BYTES) {
        p->status = p->rng->fill(p->rng, p->bytes, sizeof p->bytes);
        p->used_bytes = 0;
    }
    if (p->status != SOTTO_OK) return 0;
    p->used_bytes += 4;
    return sotto__get_u32(p->bytes + p->used_bytes - 4);
}

static bool failed(const pool *p)
{
    return p->status != SOTTO_OK;
}

/* Uniform in [0, bound), 1 <= bound <= 2^32: multiply and keep the high word, unless the low one
 * shows that this value would get a share too many (Lemire 2019). */
static uint32_t below(pool *p, uint64_t bound)
{
    uint64_t excess = (UINT64_C(1) << 32) % bound;
    uint64_t product;
    do {
        product = next_word(p) * bound;
    } while ((product & UINT32_MAX) < excess && !failed(p));
    return (uint32_t)(product >> 32);
}

/* ---- lazy reals --------------------------------------------------------------------------- */

/* Two uniform reals agree in 8 digits with a chance of 2^-256: then the generator is broken. */
#define DIGITS_MAX 8u

typedef struct real {
    uint32_t count; /* digits drawn so far */
    uint32_t digit[DIGITS_MAX];
} real;

static uint32_t digit_of(pool *p, real *x, uint32_t i)
{
    if (i == x->count) x->digit[x->count++] = next_word(p);
    return x->digit[i];
}

/* x < y. The digits drawn to decide this become part of x and y: pass the deviates themselves,
 * never copies, whose later digits would differ. */
static bool less(pool *p, real *x, real *y)
{
    for (uint32_t i = 0; i < DIGITS_MAX; i++) {
        uint32_t a = digit_of(p, x, i), b = digit_of(p, y, i);
        if (a != b) return a < b;
    }
    p->status = SOTTO_E_ENTROPY;
    return false;
}

/* ---- gaussian ----------------------------------------------------------------------------- */

/* Algorithm H: true with probability e^(-1/2). The length of the run 1/2 > u_1 > u_2 > ... is n or
 * more with probability (1/2)^n/n!; it is even with probability sum (-1/2)^n/n!. */
static bool bernoulli_half(pool *p)
{
    real u[2] = {{.count = 0}, {.count = 0}};
    if (digit_of(p, &u[0], 0) >> 31 != 0) return true; /* u_1 >= 1/2: n = 0 */
    for (uint32_t n = 1; !failed(p); n++) {
        real *last = &u[(n + 1) % 2], *next = &u[n % 2];
        next->count = 0;
        if (!less(p, next, last)) return n % 2 == 0;
    }
    return false;
}

/* Steps N1 and N2: k with probability proportional to e^(-k^2/2): geometric in e^(-1/2), then
 * kept with probability e^(-k(k-1)/2). */
static uint32_t draw_whole(pool *p)
{
    while (!failed(p)) {
        uint32_t k = 0;
        while (bernoulli_half(p) && !failed(p)) {
            k++;
        }
        uint32_t trials = 0;
        while (trials < k * (k - 1) && bernoulli_half(p)) {
            trials++;
        }
        if (trials == k * (k - 1)) return k;
    }
    return 0;
}

/* Algorithm B: true with probability e^(-x (2k + x)/(2k + 2)), by the length n of the longest run
 * x > z_1 > z_2 > ... whose every step also passes a trial of (2k + x)/(2k + 2). */
static bool bernoulli_part(pool *p, uint32_t k, real *x)
{
    real z[2];
    real *last = x;
    for (uint32_t n = 0; !failed(p); n++) {
        real *next = &z[n % 2];
        next->count = 0;
        if (!less(p, next, last)) return n % 2 == 0;
        uint32_t part = below(p, 2 * (uint64_t)k + 2);
        real r = {.count = 0};
        bool pass = part < 2 * k || (part == 2 * k && less(p, &r, x));
        if (!pass) return n % 2 == 0;
        last = next;
    }
    return false;
}

/* x < numerator/denominator, digit by digit; denominator below 2^31. */
static bool less_than_ratio(pool *p, real *x, uint64_t numerator, uint64_t denominator)
{
    uint64_t remainder = numerator;
    for (uint32_t i = 0; i < DIGITS_MAX; i++) {
        uint64_t digit = (remainder << 32) / denominator;
        remainder = (remainder << 32) % denominator;
        if (digit_of(p, x, i) != digit) return x->digit[i] < digit;
    }
    p->status = SOTTO_E_ENTROPY;
    return false;
}

/* floor(sigma x + 1/2): the first digit leaves two candidates, from and from + 1, and x tells them
 * apart at (2 from + 1)/(2 sigma). */
static uint32_t round_scaled(pool *p, uint32_t sigma, real *x)
{
    uint64_t first = digit_of(p, x, 0);
    uint32_t from = (uint32_t)((sigma * first + (UINT64_C(1) << 31)) >> 32);
    bool below_next = less_than_ratio(p, x, 2 * (uint64_t)from + 1, 2 * (uint64_t)sigma);
    return below_next ? from : from + 1;
}

/* Algorithm N, and a sign. */
static int64_t draw_gaussian(pool *p, uint32_t sigma)
{
    while (!failed(p)) {
        uint32_t k = draw_whole(p);
        real x = {.count = 0};
        uint32_t trials = 0;
        while (trials <= k && bernoulli_part(p, k, &x)) {
            trials++;
        }
        if (trials <= k) continue;
        int64_t size = (int64_t)sigma * k + round_scaled(p, sigma, &x);
        sotto__wipe(&x, sizeof x);
        return next_word(p) >> 31 != 0 ? -size : size;
    }
    return 0;
}

/* ---- laplace ------------------------------------------------------------------------------ */

/* True with probability e^(-numerator/denominator), numerator <= denominator: the first K at which
 * a trial of (numerator/denominator)/K fails is odd. */
static bool bernoulli_exp(pool *p, uint32_t numerator, uint32_t denominator)
{
    uint32_t k = 1;
    while (below(p, k) == 0 && below(p, denominator) < numerator && !failed(p)) {
        k++;
    }
    return k % 2 == 1;
}

/* |n| = u + b v: u below b, kept with probability e^(-u/b); v geometric in e^-1. One of the two
 * zeros is drawn again. */
static int64_t draw_laplace(pool *p, uint32_t b)
{
    while (!failed(p)) {
        uint32_t u = below(p, b);
        if (!bernoulli_exp(p, u, b)) continue;
        uint32_t v = 0;
        while (bernoulli_exp(p, 1, 1) && !failed(p)) {
            v++;
        }
        int64_t size = (int64_t)b * v + u;
        bool negative = next_word(p) >> 31 != 0;
        if (negative && size == 0) continue;
        return negative ? -size : size;
    }
    return 0;
}

/* ---- both --------------------------------------------------------------------------------- */

typedef int64_t sampler(pool *p, uint32_t scale_ticks);

static sampler *const samplers[] = {
    [SOTTO_NOISE_GAUSSIAN] = draw_gaussian,
    [SOTTO_NOISE_LAPLACE] = draw_laplace,
};

sotto_status sotto__lattice_noise(const sotto_lattice *lattice, sotto_noise_law law, sotto_rng *rng,
                                  int64_t *noise)
{
    pool p = {.rng = rng, .status = SOTTO_OK, .used_bytes = POOL_BYTES};
    for (uint32_t i = 0; i < lattice->dim; i++) {
        p.sample_words = 0;
        noise[i] = samplers[law](&p, lattice->scale_ticks);
    }
    sotto_status status = p.status;
    sotto__wipe(&p, sizeof p);
    if (status != SOTTO_OK) sotto__wipe(noise, lattice->dim * sizeof noise[0]);
    return status;
}
