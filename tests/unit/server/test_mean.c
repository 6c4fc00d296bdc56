/* The mean phase: g by the formula of the SPEC, and when the phase pays. */
#include "core/core.h"
#include "server/server.h"
#include "test.h"

#include <math.h>

#define DIM 3
#define ARMS 2

static sotto_terms terms_of(sotto_parameters parameters, uint32_t arms, double epsilon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = arms, spec.parameters = parameters, spec.epsilon = epsilon;
    sotto_terms terms = resolved(&spec);
    return terms;
}

TEST(nothing_known_is_no_g)
{
    double sum[DIM] = {0}, g[DIM] = {7, 7, 7};
    const sotto__mean none = {.reports = 0, .sum = sum}, cancelled = {.reports = 9, .sum = sum};
    sotto__mean_direction(&none, DIM, g);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
    g[1] = 7;
    sotto__mean_direction(&cancelled, DIM, g);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
}

/* ||sum z||^2 <= n is what noise alone makes. */
TEST(what_may_be_noise_is_no_g)
{
    double sum[DIM] = {3, 0, -4}, g[DIM];
    const sotto__mean mean = {.reports = 25, .sum = sum}, more = {.reports = 24, .sum = sum};
    sotto__mean_direction(&mean, DIM, g);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
    sotto__mean_direction(&more, DIM, g);
    assert_true(g[0] > 0 && g[1] == 0 && g[2] < 0);
}

/* mhat = (B/n) sum z, s = max(0, 1 - B^2/(n ||mhat||^2)), g = sqrt(.7 s) mhat/||mhat||. */
TEST(g_follows_the_formula)
{
    const double scale =
        terms_of(SOTTO_PARAMETERS_PER_ARM, ARMS, 1).codebook[SOTTO_PHASE_MEAN].scale;
    const uint64_t counts[] = {1, 20, 100, 1000, 1000000};
    for (size_t c = 0; c < 5; c++) {
        double n = (double)counts[c];
        double batch[ARMS * DIM] = {0.1 * n, 0.05 * n, 0, 0.1 * n, -0.2 * n, 0.25 * n};
        double sum[DIM] = {0.5, 0, 0}, g[DIM], mhat[DIM], squares = 0;
        sotto__mean mean = {.reports = 1, .sum = sum};
        sotto_spec spec = {.dim = DIM, .arms = ARMS};
        sotto__mean_add(&mean, &spec, counts[c] - 1, batch);
        assert_int_equal(mean.reports, counts[c]);
        for (int i = 0; i < DIM; i++) {
            mhat[i] = scale / n * ((i == 0 ? 0.5 : 0) + batch[i] + batch[DIM + i]);
            squares += mhat[i] * mhat[i];
        }
        double s = fmax(0, 1 - scale * scale / (n * squares));
        sotto__mean_direction(&mean, DIM, g);
        for (int i = 0; i < DIM; i++) {
            assert_near(g[i], sqrt(0.7 * s) * mhat[i] / sqrt(squares), 1e-14);
        }
    }
}

TEST(sums_of_the_largest_tallies_give_a_finite_g)
{
    double sum[DIM] = {1e12, -1e12, 1e12}, g[DIM];
    const sotto__mean mean = {.reports = UINT64_C(1000000000000), .sum = sum};
    sotto__mean_direction(&mean, DIM, g);
    assert_near(g[0] * g[0] + g[1] * g[1] + g[2] * g[2], 0.7, 1e-12);
}

TEST(terms_without_the_phase_and_unknown_horizons_have_none)
{
    const sotto_terms shared = terms_of(SOTTO_PARAMETERS_SHARED, ARMS, 1);
    const sotto_terms per_arm = terms_of(SOTTO_PARAMETERS_PER_ARM, ARMS, 1);
    sotto_terms other = per_arm;
    other.spec.score = SOTTO_SCORE_SIGN;
    assert_int_equal(sotto_learning_mean_phase(&shared, 1000000000), 0);
    assert_int_equal(sotto_learning_mean_phase(&other, 1000000000), 0);
    assert_int_equal(sotto_learning_mean_phase(&per_arm, 0), 0);
    assert_int_equal(sotto_learning_mean_phase(&per_arm, 1), 0);
}

/* B^2 q by the definition of the SPEC: q(a) = [a (k e^eps + M - k) + (1 - a) M]/(k e^eps + M). */
static double variance(const sotto_codebook *c, double epsilon, double a)
{
    double top = c->top * exp(epsilon), m = c->size;
    double q = (a * (top + m - c->top) + (1 - a) * m) / (top + m);
    return c->scale * c->scale * (c->nulls == 0 ? 1 : q);
}

TEST(it_pays_from_30_d_variances_on)
{
    static const struct {
        uint32_t arms;
        double epsilon;
    } cases[] = {{2, 1}, {2, 8}, {26, 1}, {26, 4}, {26, 8}, {5, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double epsilon = cases[i].epsilon;
        const sotto_terms terms = terms_of(SOTTO_PARAMETERS_PER_ARM, cases[i].arms, epsilon);
        const sotto_codebook *codebook = terms.codebook;
        double warm_up =
            variance(&codebook[SOTTO_PHASE_WARM_UP], epsilon, fmin(1, 2.0 / cases[i].arms));
        double least = fmin(warm_up, variance(&codebook[SOTTO_PHASE_MAIN], epsilon, 0.3));
        uint64_t shortest = (uint64_t)ceil(30 * DIM * least);
        double plain = 10 * pow(codebook[SOTTO_PHASE_MEAN].scale, 2);
        assert_ints(sotto_learning_mean_phase(&terms, shortest - 1), 0,
                    sotto_learning_mean_phase(&terms, shortest),
                    (uint64_t)floor(fmin(0.03 * (double)shortest, plain)),
                    sotto_learning_mean_phase(&terms, SOTTO_HORIZON_MAX), (uint64_t)floor(plain));
    }
}
