/* Lattice noise, slow or in floating point. */
#include "noise_twin.h"

#include <math.h>

/* ---- floating point ------------------------------------------------------------------------ */

static double float_normal(sotto__seeded *random)
{
    double pair[2];
    uint64_t first = sotto__seeded_next(random);
    sotto__normal_pair(first, sotto__seeded_next(random), pair);
    return pair[0];
}

/* A two-sided geometric: the difference of two geometric variables with ratio e^(-1/b). */
static double float_laplace(double b, sotto__seeded *random)
{
    double first = floor(-b * log(sotto__uniform(sotto__seeded_next(random))));
    return first - floor(-b * log(sotto__uniform(sotto__seeded_next(random))));
}

static int64_t float_sample(noise_fault fault, sotto_noise_law law, double scale,
                            sotto__seeded *random)
{
    if (fault == NOISE_WIDE) scale *= 1.02;
    if (fault == NOISE_NARROW) scale *= 0.98;
    double z;
    do {
        z = law == SOTTO_NOISE_LAPLACE ? float_laplace(scale, random)
                                       : scale * float_normal(random);
    } while (fault == NOISE_FLAT_TAIL && fabs(z) > 4 * scale);
    if (fault == NOISE_SHIFTED) z += 0.01 * scale;
    if (fault == NOISE_ONE_SIDED) z = fabs(z);
    if (fault == NOISE_TRUNCATED) return (int64_t)z;
    if (fault == NOISE_COARSE) return 16 * llrint(z / 16);
    return llrint(z);
}

/* ---- the published algorithms -------------------------------------------------------------- */

#define DIGIT_BITS 2
#define BITS_MAX 60

/* A uniform real of (0, 1), known to its first `bits` bits. */
typedef struct lazy {
    uint64_t value;
    int bits;
} lazy;

static void extend(lazy *x, int bits, sotto__seeded *random)
{
    while (x->bits < bits) {
        x->value = x->value << DIGIT_BITS | sotto__seeded_next(random) >> (64 - DIGIT_BITS);
        x->bits += DIGIT_BITS;
    }
}

static bool lazy_less(lazy *x, lazy *y, sotto__seeded *random)
{
    for (int bits = DIGIT_BITS; bits <= BITS_MAX; bits += DIGIT_BITS) {
        extend(x, bits, random);
        extend(y, bits, random);
        uint64_t a = x->value >> (x->bits - bits), b = y->value >> (y->bits - bits);
        if (a != b) return a < b;
    }
    return false;
}

static bool algorithm_h(sotto__seeded *random)
{
    lazy u = {0, 0};
    extend(&u, DIGIT_BITS, random);
    if (u.value >> (DIGIT_BITS - 1) != 0) return true;
    for (int n = 1;; n++) {
        lazy v = {0, 0};
        if (!lazy_less(&v, &u, random)) return n % 2 == 0;
        u = v;
    }
}

static bool algorithm_b(uint32_t k, lazy *x, bool copied, sotto__seeded *random)
{
    lazy copy = *x, last = {0, 0};
    for (int n = 0;; n++) {
        lazy z = {0, 0}, r = {0, 0};
        lazy *y = n > 0 ? &last : copied ? &copy : x;
        if (!lazy_less(&z, y, random)) return n % 2 == 0;
        uint64_t part = sotto__seeded_next(random) % (2 * (uint64_t)k + 2); /* bias below 2^-55 */
        bool pass = part < 2 * k || (part == 2 * k && lazy_less(&r, x, random));
        if (!pass) return n % 2 == 0;
        last = z;
    }
}

static uint32_t algorithm_n1_n2(bool without_n2, sotto__seeded *random)
{
    for (;;) {
        uint32_t k = 0, passed = 0;
        while (algorithm_h(random)) {
            k++;
        }
        while (!without_n2 && passed < k * (k - 1) && algorithm_h(random)) {
            passed++;
        }
        if (without_n2 || passed == k * (k - 1)) return k;
    }
}

static int64_t exact_gaussian(noise_fault fault, uint32_t sigma, sotto__seeded *random)
{
    for (;;) {
        uint32_t k = algorithm_n1_n2(fault == NOISE_WITHOUT_N2, random), passed = 0;
        lazy x = {0, 0};
        extend(&x, DIGIT_BITS, random); /* both copies have the first digit */
        while (passed <= k && algorithm_b(k, &x, fault == NOISE_LOST_DIGITS, random)) {
            passed++;
        }
        if (passed <= k) continue;
        extend(&x, 32, random);
        int64_t part = (int64_t)((x.value >> (x.bits - 32)) * sigma + (UINT64_C(1) << 31)) >> 32;
        int64_t size = (int64_t)sigma * k + part; /* 32 bits of x round well enough to compare */
        return sotto__seeded_next(random) >> 63 != 0 ? -size : size;
    }
}

static bool bernoulli_exp(double gamma, sotto__seeded *random)
{
    int k = 1;
    while (sotto__uniform(sotto__seeded_next(random)) < gamma / k) {
        k++;
    }
    return k % 2 == 1;
}

static int64_t exact_laplace(noise_fault fault, uint32_t b, sotto__seeded *random)
{
    for (;;) {
        uint32_t u = (uint32_t)((sotto__seeded_next(random) >> 32) * b >> 32), v = 0;
        if (!bernoulli_exp((double)u / b, random)) continue;
        while (bernoulli_exp(1, random)) {
            v++;
        }
        int64_t size = (int64_t)b * v + u;
        bool negative = sotto__seeded_next(random) >> 63 != 0;
        if (negative && size == 0 && fault != NOISE_TWO_ZEROS) continue;
        return negative ? -size : size;
    }
}

/* ---- both ---------------------------------------------------------------------------------- */

static int64_t sample(noise_fault fault, sotto_noise_law law, uint32_t scale_ticks,
                      sotto__seeded *random)
{
    bool exact = fault == NOISE_EXACT || fault == NOISE_LOST_DIGITS || fault == NOISE_WITHOUT_N2 ||
                 fault == NOISE_TWO_ZEROS;
    if (!exact) return float_sample(fault, law, scale_ticks, random);
    if (law == SOTTO_NOISE_LAPLACE) return exact_laplace(fault, scale_ticks, random);
    return exact_gaussian(fault, scale_ticks, random);
}

void noise_twin(noise_fault fault, sotto_noise_law law, uint32_t scale_ticks, uint32_t dim,
                uint64_t turn, sotto__seeded *random, int64_t *noise)
{
    if (fault == NOISE_REPEATED && turn % 2 == 1) return;
    for (uint32_t i = 0; i < dim; i++) {
        bool again = fault == NOISE_ONE_FOR_TWO && i % 2 == 1;
        noise[i] = again ? noise[i - 1] : sample(fault, law, scale_ticks, random);
    }
}
