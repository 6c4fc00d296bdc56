/* Nulls of resolved terms: which constants are chosen, against all that there are, and which terms
 * with nulls are refused. */
#include "core/core.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sotto_spec self_of(sotto_parameters parameters, uint32_t dim, uint32_t arms, double epsilon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.parameters = parameters, spec.dim = dim, spec.arms = arms, spec.epsilon = epsilon;
    return spec;
}

static sotto_terms resolved_of(const sotto_spec *spec)
{
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(spec, &terms));
    return terms;
}

/* ---- refusals ----------------------------------------------------------------------------- */

/* The bytes of terms with so many nulls are refused with this sentence, and so are the terms. */
static void assert_refused(sotto_terms terms, sotto_phase phase, uint32_t nulls,
                           const char *sentence)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_fault fault;
    sotto_terms out;
    terms.codebook[phase].nulls = nulls;
    sotto__terms_name(&terms);
    assert_status(sotto_terms_check(&terms), SOTTO_E_FAULT);
    assert_fault_says(sotto_terms_fault(&terms, &fault), fault, sentence);
    size_t count = sotto_terms_encode(&terms, bytes);
    assert_status(sotto_terms_decode(bytes, count, &out), SOTTO_E_FAULT);
    assert_fault_says(sotto_terms_bytes_fault(bytes, count, &fault), fault, sentence);
}

TEST(nulls_are_none_or_as_many_as_top)
{
    sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, 5, 26, 8);
    sotto_terms terms = resolved_of(&spec);
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        uint32_t k = terms.codebook[phase].top;
        const uint32_t wrong[] = {1, k - 1, k + 1, 2 * k, UINT32_MAX};
        for (int i = 0; i < 5; i++) {
            char sentence[SOTTO_FAULT_BYTES];
            snprintf(sentence, sizeof sentence, "%s nulls = %u: allowed 0 or %u (top)",
                     sotto_phase_name((sotto_phase)phase), wrong[i], k);
            assert_refused(terms, (sotto_phase)phase, wrong[i], sentence);
        }
    }
}

TEST(a_split_has_no_nulls)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_SGD, spec.score = SOTTO_SCORE_GRADIENT;
    spec.parameters = SOTTO_PARAMETERS_PER_ARM, spec.split = SOTTO_SPLIT_PER_ARM;
    sotto_terms terms = resolved_of(&spec);
    assert_int_equal(terms.codebook[SOTTO_PHASE_MAIN].nulls, 0);
    assert_refused(terms, SOTTO_PHASE_MAIN, 1,
                   "main nulls = 1: must be 0, split codebooks have none");
    assert_refused(terms, SOTTO_PHASE_WARM_UP, 1,
                   "warm-up nulls = 1: must be 0, split codebooks have none");
    spec.split = SOTTO_SPLIT_JOINT;
    assert_refused(resolved_of(&spec), SOTTO_PHASE_MAIN, 1,
                   "main nulls = 1: must be 0, only score self of method sotto has some");
}

TEST(the_averaged_estimator_has_no_nulls)
{
    sotto_spec spec = self_of(SOTTO_PARAMETERS_SHARED, 4, 3, 4);
    spec.reward_rate = 0.01;
    sotto_terms terms = resolved_of(&spec);
    uint32_t k = terms.codebook[SOTTO_PHASE_MAIN].top;
    char sentence[SOTTO_FAULT_BYTES];
    assert_int_equal(terms.codebook[SOTTO_PHASE_MAIN].nulls, 0);
    snprintf(sentence, sizeof sentence,
             "main nulls = %u: must be 0, the averaged estimator has none", k);
    assert_refused(terms, SOTTO_PHASE_MAIN, k, sentence);
}

TEST(other_phases_have_no_nulls)
{
    sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, 5, 3, 4);
    assert_refused(resolved_of(&spec), SOTTO_PHASE_MEAN, 1,
                   "mean nulls = 1: must be 0, the mean phase has none");
    spec.parameters = SOTTO_PARAMETERS_SHARED;
    assert_refused(resolved_of(&spec), SOTTO_PHASE_WARM_UP, 1,
                   "warm-up nulls = 1: must be 0, there is no such phase");
}

/* ---- constants ---------------------------------------------------------------------------- */

#define HALF_MAX 520u
#define STEPS 1500

/* sum[k]: E of the sum of the k largest of n draws of |U|, as the integral over u of P(at least j of
 * them exceed u), with P(|U| <= u) = u in three dimensions and (3 u - u^3)/2 in five. */
typedef struct order_sums {
    uint32_t dim, n;
    double sum[HALF_MAX + 1];
} order_sums;

static void order_sums_fill(uint32_t dim, uint32_t n, order_sums *out)
{
    memset(out, 0, sizeof *out);
    out->dim = dim;
    out->n = n;
    for (int step = 1; step < 2 * STEPS;
         step++) { /* the rule of Simpson; the last end adds nothing */
        double u = step / (2.0 * STEPS), simpson = (step % 2 ? 4 : 2) / (6.0 * STEPS);
        double below = dim == 3 ? u : (3 * u - u * u * u) / 2;
        double at_least = 1, choose = 0;
        for (uint32_t j = 0; j < n; j++) { /* choose = ln of n over j */
            at_least -= exp(choose + j * log1p(-below) + (n - j) * log(below));
            out->sum[j + 1] += simpson * fmax(0, at_least);
            choose += log((double)(n - j) / (j + 1));
        }
    }
    /* Its first end: at u = 0 all draws exceed u. */
    for (uint32_t j = 1; j <= n; j++) {
        out->sum[j] += out->sum[j - 1] + 1 / (6.0 * STEPS);
    }
}

static const order_sums *order_sums_of(uint32_t dim, uint32_t n)
{
    static order_sums known[40];
    uint32_t at = 0;
    while (known[at].n != 0 && !(known[at].dim == dim && known[at].n == n)) {
        at++;
    }
    assert_true(at < 39 && n <= HALF_MAX);
    if (known[at].n == 0) order_sums_fill(dim, n, &known[at]);
    return &known[at];
}

/* B^2 q of one M and k; a < 0: without nulls. */
static double variance_of(uint32_t dim, uint32_t m, uint32_t groups, uint32_t k, double epsilon,
                          double a)
{
    double e = exp(epsilon), sum = order_sums_of(dim, m / (2 * groups))->sum[k];
    if (a < 0) return pow((k * e + m - k) / ((e - 1) * sum), 2);
    double q = (a * (k * e + m - k) + (1 - a) * m) / (k * e + m);
    return pow((k * e + m) / ((e - 1) * sum), 2) * q;
}

static double least_of(uint32_t dim, uint32_t m, uint32_t groups, double epsilon, double a)
{
    double least = INFINITY;
    for (uint32_t k = 1; k <= m / (2 * groups); k++) {
        least = fmin(least, variance_of(dim, m, groups, k, epsilon, a));
    }
    return least;
}

static uint32_t rounded_up(uint32_t m, uint32_t groups)
{
    while (m % (2 * groups) != 0) {
        m++;
    }
    return m;
}

/* The best of everything there is, with nulls or without. */
typedef struct best {
    double variance;
    bool nulls;
} best;

static best best_of(uint32_t dim, uint32_t groups, double epsilon, double a)
{
    static const uint32_t sizes[] = {64, 128, 256, 1024};
    uint32_t m = epsilon <= 2 && groups == 1 ? 64 : epsilon <= 5 ? 256 : 1024;
    best b = {least_of(dim, rounded_up(m, groups), groups, epsilon, -1), false};
    for (int i = 0; i < 4 && a < 1; i++) {
        double with = least_of(dim, rounded_up(sizes[i], groups), groups, epsilon, a);
        if (with >= b.variance) continue;
        b = (best){with, true};
    }
    return b;
}

static void assert_best(const sotto_codebook *codebook, double epsilon, double a, best wanted)
{
    bool nulls = codebook->nulls > 0;
    assert_int_equal(nulls, wanted.nulls);
    double own = variance_of(codebook->dim, codebook->size, codebook->groups, codebook->top,
                             epsilon, nulls ? a : -1);
    assert_near(own / wanted.variance, 1, 1e-6);
    assert_near(sotto__codebook_variance(codebook, epsilon, a) / own, 1, 1e-6);
}

static const double epsilons[] = {0.3, 0.7, 1, 2, 3, 5, 5.5, 8};

/* a = 2/K in warm-up, 0.3 after; tags where they vary less than K times as much as signs. */
TEST(per_arm_constants_are_the_best_there_are)
{
    static const uint32_t arms[] = {2, 3, 7, 26};
    for (int at = 0; at < 8 * 4 * 2; at++) {
        uint32_t k = arms[at / 8 % 4], dim = at / 32 == 0 ? 3 : 5;
        double epsilon = epsilons[at % 8], first = k == 2 ? 1 : 2.0 / k;
        sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, dim, k, epsilon);
        sotto_terms terms = resolved_of(&spec);
        assert_best(&terms.codebook[SOTTO_PHASE_WARM_UP], epsilon, first,
                    best_of(dim, 1, epsilon, first));
        best signs = best_of(dim, 1, epsilon, 0.3), tags = best_of(dim, k, epsilon, 0.3);
        bool tagged = tags.variance < k * signs.variance;
        assert_int_equal(terms.codebook[SOTTO_PHASE_MAIN].groups, tagged ? k : 1);
        assert_best(&terms.codebook[SOTTO_PHASE_MAIN], epsilon, 0.3, tagged ? tags : signs);
    }
}

/* a = 2 p (1 - p)/max(p, 1 - p), and 1 where no rate is said. */
TEST(shared_constants_are_the_best_there_are)
{
    static const struct {
        double rate, a;
    } rows[] = {{0, 1}, {0.001, 0.002}, {0.1, 0.2}, {0.5, 1}, {0.75, 0.5}, {0.99, 0.02}, {1, 0}};
    for (int at = 0; at < 8 * 7; at++) {
        double epsilon = epsilons[at % 8], a = rows[at / 8].a;
        sotto_spec spec = self_of(SOTTO_PARAMETERS_SHARED, 5, 3, epsilon);
        spec.reward_rate = rows[at / 8].rate;
        sotto_terms terms = resolved_of(&spec);
        assert_best(&terms.codebook[SOTTO_PHASE_MAIN], epsilon, a, best_of(5, 1, epsilon, a));
    }
}

TEST(scores_of_size_1_have_no_nulls_at_any_epsilon)
{
    for (double epsilon = 0.1; epsilon <= 8; epsilon += 0.1) {
        sotto_spec shared = self_of(SOTTO_PARAMETERS_SHARED, 6, 3, epsilon);
        sotto_spec per_arm = self_of(SOTTO_PARAMETERS_PER_ARM, 6, 2, epsilon);
        assert_int_equal(resolved_of(&shared).codebook[SOTTO_PHASE_MAIN].nulls, 0);
        assert_int_equal(resolved_of(&per_arm).codebook[SOTTO_PHASE_WARM_UP].nulls, 0);
    }
}
