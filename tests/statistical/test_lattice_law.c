/*
 * The law of lattice noise: bins, mean, variance, tails, zeros, signs, low bits, and no dependence
 * between neighbours or successors. Each of the eleven tests has a false-alarm rate of 1e-6; seeds
 * are fixed. The shipping code passes; every twin with a fault is caught. SOTTO_SOAK=1 takes 1e7
 * ticks for each setting.
 */
#include "client/client.h"
#include "lab/math/math.h"
#include "noise_twin.h"
#include "stats.h"
#include "test.h"

#define FALSE_ALARM 1e-6
#define DIM 4 /* ticks a call */
#define BINS 128
#define RESIDUES 16

typedef struct setting {
    sotto_noise_law law;
    uint32_t scale_ticks;
} setting;

static uint64_t ticks_in_all(void)
{
    return getenv("SOTTO_SOAK") != NULL ? 10000000 : 400000;
}

/* ---- the law ------------------------------------------------------------------------------- */

/* P(n > edge), edge >= 0 whole. */
static double upper_tail(const setting *s, double edge)
{
    double b = s->scale_ticks;
    if (s->law == SOTTO_NOISE_GAUSSIAN) return erfc((edge + 0.5) / b / sqrt(2)) / 2;
    return exp(-(edge + 1) / b) / (1 + exp(-1 / b)); /* (1-q)/(1+q) (q^(e+1) + q^(e+2) + ...) */
}

/* P(n <= edge), edge whole. */
static double cdf(const setting *s, double edge)
{
    return edge >= 0 ? 1 - upper_tail(s, edge) : upper_tail(s, -edge - 1);
}

static double chance_of_zero(const setting *s)
{
    return 1 - 2 * upper_tail(s, 0);
}

/* gaussian: that of rounding, as if it were independent: at 3 ticks and more it is, to 1e-30.
 * laplace: 2q/(1-q)^2 and 2q(1 + 11q + 11q^2 + q^3)/((1+q)(1-q)^4), q = e^(-1/b). */
static void moments(const setting *s, double *second, double *fourth)
{
    double scale = s->scale_ticks, q = exp(-1 / scale), p = -expm1(-1 / scale);
    *second = scale * scale + 1.0 / 12;
    *fourth = 3 * scale * scale * (scale * scale + 1.0 / 6) + 1.0 / 80;
    if (s->law == SOTTO_NOISE_GAUSSIAN) return;
    *second = 2 * q / (p * p);
    *fourth = 2 * q * (1 + 11 * q + 11 * q * q + q * q * q) / ((1 + q) * p * p * p * p);
}

/* ---- the sample ---------------------------------------------------------------------------- */

typedef struct sample {
    uint64_t count;
    double edge[BINS]; /* bin i: edge[i-1] < n <= edge[i]; the last is unbounded */
    uint32_t bins;
    uint64_t hits[BINS];
    uint64_t residue[RESIDUES];
    uint64_t zeros, positive, beyond_3, beyond_4;
    double sum, squares;
    double successors, neighbours; /* sums of products */
} sample;

/* About BINS equally likely bins; fewer where a tick is wider than that. */
static void make_bins(const setting *s, sample *into)
{
    for (int i = 1; i < BINS; i++) {
        double lo = -60.0 * s->scale_ticks, hi = -lo;
        while (hi - lo > 0.25) { /* bisection for the quantile, by the law's own cdf */
            double middle = (lo + hi) / 2;
            if (cdf(s, floor(middle)) < (double)i / BINS) {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        double edge = floor(hi);
        if (into->bins == 0 || edge > into->edge[into->bins - 1]) into->edge[into->bins++] = edge;
    }
    into->edge[into->bins++] = INFINITY;
}

static uint32_t bin_of(const sample *into, double n)
{
    uint32_t lo = 0, hi = into->bins - 1;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;
        if (n <= into->edge[middle]) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    return lo;
}

static void add(const setting *s, const int64_t *noise, const int64_t *before, sample *into)
{
    for (uint32_t i = 0; i < DIM; i++) {
        double n = (double)noise[i], next = (double)noise[(i + 1) % DIM], last = (double)before[i];
        into->count++;
        into->hits[bin_of(into, n)]++;
        into->residue[(uint64_t)noise[i] % RESIDUES]++;
        into->zeros += n == 0;
        into->positive += n > 0;
        into->beyond_3 += fabs(n) > 3.0 * s->scale_ticks;
        into->beyond_4 += fabs(n) > 4.0 * s->scale_ticks;
        into->sum += n;
        into->squares += n * n;
        into->neighbours += n * next;
        into->successors += n * last;
    }
}

static void draw(const setting *s, noise_fault fault, uint64_t turn, sotto__seeded *random,
                 int64_t *noise)
{
    if (fault != NOISE_SHIPPING) {
        noise_twin(fault, s->law, s->scale_ticks, DIM, turn, random, noise);
        return;
    }
    const sotto_lattice lattice = {.dim = DIM, .scale_ticks = s->scale_ticks};
    assert_ok(sotto__lattice_noise(&lattice, s->law, &random->rng, noise));
}

static sample take(const setting *s, noise_fault fault, uint64_t seed)
{
    sample into = {.count = 0};
    sotto__seeded random;
    int64_t noise[DIM] = {0}, before[DIM] = {0};
    make_bins(s, &into);
    sotto__seeded_begin(&random, seed);
    for (uint64_t turn = 0; turn < ticks_in_all() / DIM; turn++) {
        draw(s, fault, turn, &random, noise);
        add(s, noise, before, &into);
        memcpy(before, noise, sizeof before);
    }
    return into;
}

/* ---- the tests ----------------------------------------------------------------------------- */

static double normal_p(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* p-value of `hits` among `count` with this chance: Poisson where it is rare, else normal. */
static double count_p(uint64_t hits, uint64_t count, double chance)
{
    double expected = chance * (double)count, h = (double)hits;
    if (chance > 0.01) return normal_p((h - expected) / sqrt(expected * (1 - chance)));
    double at_most = sotto__chi_square_tail(2 * expected, 2 * (h + 1));
    double at_least = hits == 0 ? 1 : 1 - sotto__chi_square_tail(2 * expected, 2 * h);
    return fmin(1, 2 * fmin(at_most, at_least));
}

static double bins_p(const setting *s, const sample *of)
{
    double chi = 0, before = 0;
    for (uint32_t i = 0; i < of->bins; i++) {
        double now = isinf(of->edge[i]) ? 1 : cdf(s, of->edge[i]);
        double expected = (now - before) * (double)of->count;
        chi += ((double)of->hits[i] - expected) * ((double)of->hits[i] - expected) / expected;
        before = now;
    }
    return sotto__chi_square_tail(chi, of->bins - 1);
}

static double residues_p(const sample *of, uint32_t modulus)
{
    double chi = 0, expected = (double)of->count / modulus;
    for (uint32_t r = 0; r < modulus; r++) {
        double hits = 0;
        for (uint32_t i = r; i < RESIDUES; i += modulus) {
            hits += (double)of->residue[i];
        }
        chi += (hits - expected) * (hits - expected) / expected;
    }
    return sotto__chi_square_tail(chi, modulus - 1);
}

typedef struct verdict {
    const char *test;
    double p;
} verdict;

#define TESTS 11

static void judge(const setting *s, const sample *of, verdict verdicts[TESTS])
{
    double n = (double)of->count, second, fourth;
    moments(s, &second, &fourth);
    double root = sqrt(n), scale = s->scale_ticks;
    bool fine = scale >= 1024; /* residues are uniform to 1e-6 */
    const verdict all[TESTS] = {
        {"bins", bins_p(s, of)},
        {"mean", normal_p(of->sum / sqrt(n * second))},
        {"variance", normal_p((of->squares / n - second) * root / sqrt(fourth - second * second))},
        {"beyond 3", count_p(of->beyond_3, of->count, 2 * upper_tail(s, 3 * scale))},
        {"beyond 4", count_p(of->beyond_4, of->count, 2 * upper_tail(s, 4 * scale))},
        {"zeros", count_p(of->zeros, of->count, chance_of_zero(s))},
        {"signs", count_p(of->positive, of->count - of->zeros, 0.5)},
        {"even", fine ? residues_p(of, 2) : 1},
        {"mod 16", fine ? residues_p(of, 16) : 1},
        {"neighbours", normal_p(of->neighbours / second / root)},
        {"successors", normal_p(of->successors / second / root)},
    };
    memcpy(verdicts, all, sizeof all);
}

/* The verdict with the smallest p-value. */
static verdict worst(const setting *s, noise_fault fault, uint64_t seed)
{
    verdict verdicts[TESTS];
    sample of = take(s, fault, seed);
    judge(s, &of, verdicts);
    verdict found = verdicts[0];
    for (int i = 1; i < TESTS; i++) {
        if (!(verdicts[i].p >= found.p)) found = verdicts[i];
    }
    return found;
}

static const setting settings[] = {
    {SOTTO_NOISE_GAUSSIAN, 3},        {SOTTO_NOISE_LAPLACE, 3},        {SOTTO_NOISE_GAUSSIAN, 1024},
    {SOTTO_NOISE_LAPLACE, 1024},      {SOTTO_NOISE_GAUSSIAN, 61123},   {SOTTO_NOISE_LAPLACE, 61123},
    {SOTTO_NOISE_GAUSSIAN, 1u << 24}, {SOTTO_NOISE_LAPLACE, 1u << 24},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

static void assert_follows(noise_fault fault, uint64_t seed)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        verdict v = worst(&settings[i], fault, seed + i);
        if (!(v.p > FALSE_ALARM)) fail_msg("setting %zu, %s: p = %g", i, v.test, v.p);
    }
}

TEST(the_shipping_code_follows_the_law)
{
    assert_follows(NOISE_SHIPPING, 100);
}

/* The tests accept correct noise, so the broken exact twins below are caught only for their
 * fault. */
TEST(right_twins_follow_it_too)
{
    assert_follows(NOISE_EXACT, 200);
    assert_follows(NOISE_FLOAT, 300);
}

/* chi = sum (a - b)^2/(a + b) for two samples of one size. */
TEST(exact_noise_and_rounded_doubles_have_one_law)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        sample exact = take(&settings[i], NOISE_SHIPPING, 400 + i);
        sample rounded = take(&settings[i], NOISE_FLOAT, 500 + i);
        double chi = 0;
        for (uint32_t bin = 0; bin < exact.bins; bin++) {
            double a = (double)exact.hits[bin], b = (double)rounded.hits[bin];
            chi += (a - b) * (a - b) / (a + b);
        }
        double p = sotto__chi_square_tail(chi, exact.bins - 1);
        if (!(p > FALSE_ALARM)) fail_msg("setting %zu: p = %g", i, p);
    }
}

TEST(every_twin_that_breaks_the_law_is_caught)
{
    static const struct {
        noise_fault fault;
        const char *name;
        sotto_noise_law law;
    } broken[] = {
        {NOISE_WIDE, "2 % wide", SOTTO_NOISE_GAUSSIAN},
        {NOISE_WIDE, "2 % wide", SOTTO_NOISE_LAPLACE},
        {NOISE_NARROW, "2 % narrow", SOTTO_NOISE_GAUSSIAN},
        {NOISE_NARROW, "2 % narrow", SOTTO_NOISE_LAPLACE},
        {NOISE_TRUNCATED, "truncated", SOTTO_NOISE_GAUSSIAN},
        {NOISE_ONE_SIDED, "one-sided", SOTTO_NOISE_GAUSSIAN},
        {NOISE_ONE_SIDED, "one-sided", SOTTO_NOISE_LAPLACE},
        {NOISE_COARSE, "multiples of 16", SOTTO_NOISE_GAUSSIAN},
        {NOISE_COARSE, "multiples of 16", SOTTO_NOISE_LAPLACE},
        {NOISE_FLAT_TAIL, "no tail", SOTTO_NOISE_GAUSSIAN},
        {NOISE_FLAT_TAIL, "no tail", SOTTO_NOISE_LAPLACE},
        {NOISE_SHIFTED, "shifted", SOTTO_NOISE_GAUSSIAN},
        {NOISE_LOST_DIGITS, "lost digits", SOTTO_NOISE_GAUSSIAN},
        {NOISE_WITHOUT_N2, "without step N2", SOTTO_NOISE_GAUSSIAN},
        {NOISE_TWO_ZEROS, "two zeros", SOTTO_NOISE_LAPLACE},
        {NOISE_REPEATED, "repeated", SOTTO_NOISE_GAUSSIAN},
        {NOISE_REPEATED, "repeated", SOTTO_NOISE_LAPLACE},
        {NOISE_ONE_FOR_TWO, "one for two", SOTTO_NOISE_GAUSSIAN},
        {NOISE_ONE_FOR_TWO, "one for two", SOTTO_NOISE_LAPLACE},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        /* Where multiples of 16 are too fine for the bins, the low bits reveal them. */
        const setting s = {broken[i].law, broken[i].fault == NOISE_COARSE ? 1u << 24 : 1024};
        verdict v = worst(&s, broken[i].fault, 600 + i);
        print_message("%s, %s: %s, p = %.1e\n", broken[i].name, sotto_noise_law_name(s.law), v.test,
                      v.p);
        if (v.p > FALSE_ALARM) fail_msg("twin \"%s\" was not caught", broken[i].name);
    }
}
