/* Scores against slow sums over every reward. */
#include "core/link.h"
#include "lab/floor/score.h"
#include "test.h"

#include <math.h>

/* sum over rewards of chance x of(e D y), e = (r - mu) mu'/v from first principles: the derivative of the
 * log-likelihood, by a small step. */
typedef double likelihood(const sotto__score *score, double reward, double at);

static double gaussian(const sotto__score *score, double reward, double at)
{
    double off = (reward - sotto__link_mean(score->link, at)) / score->noise;
    return exp(-0.5 * off * off) / (score->noise * sqrt(2 * acos(-1)));
}

static double bernoulli(const sotto__score *score, double reward, double at)
{
    double mean = sotto__link_mean(score->link, at);
    return reward > 0.5 ? mean : 1 - mean;
}

static double poisson(const sotto__score *score, double reward, double at)
{
    double mean = sotto__link_mean(score->link, at);
    return exp(reward * log(mean) - mean - lgamma(reward + 1));
}

static void slow(const sotto__score *score, likelihood *chance, double from, double step, int count,
                 double c, double y, double rho, double *excess, double *square)
{
    const double small = 1e-5;
    double at = score->theta_norm * c;
    *excess = *square = 0;
    for (int i = 0; i < count; i++) {
        double r = from + i * step, p = chance(score, r, at);
        if (p < 1e-30) continue;
        double e = log(chance(score, r, at + small) / chance(score, r, at - small)) / (2 * small);
        double s = e * score->theta_norm;
        double mass = p * (score->law == SOTTO_LAW_GAUSSIAN ? step : 1);
        *square += mass * s * s;
        *excess += mass * (fmax(0, s * y - rho) + fmax(0, -s * y - rho)) / 2;
    }
}

static void laws_without_a_score_are_told(void **state)
{
    (void)state;
    const sotto__score good = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 1};
    assert_true(sotto__score_exists(&good));
    const sotto__score bad[] = {
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, NAN, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 0},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, NAN},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 6},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_BERNOULLI, 0.1, 1},
        {SOTTO_LINK_LOGIT, SOTTO_LAW_POISSON, 0.1, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_NONE, 0.1, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sotto__score_exists(&bad[i]));
    }
}

static void scores_are_derivatives_of_the_likelihood(void **state)
{
    (void)state;
    const struct {
        sotto__score score;
        likelihood *chance;
        double from, step;
        int count;
    } row[] = {
        {{SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 1}, gaussian, -3, 1e-4, 60000},
        {{SOTTO_LINK_LOGIT, SOTTO_LAW_GAUSSIAN, 0.5, 2}, gaussian, -8, 5e-4, 36000},
        {{SOTTO_LINK_LOGIT, SOTTO_LAW_BERNOULLI, 0, 1}, bernoulli, 0, 1, 2},
        {{SOTTO_LINK_PROBIT, SOTTO_LAW_BERNOULLI, 0, 1.5}, bernoulli, 0, 1, 2},
        {{SOTTO_LINK_LOG, SOTTO_LAW_POISSON, 0, 1.2}, poisson, 0, 1, 80},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sotto__score *score = &row[i].score;
        assert_true(sotto__score_exists(score));
        for (double c = -0.6; c < 1; c += 0.5) {
            for (double rho = 0; rho < 2; rho += 0.15) {
                double excess, square;
                slow(score, row[i].chance, row[i].from, row[i].step, row[i].count, c, 0.7, rho,
                     &excess, &square);
                assert_near(sotto__score_excess(score, c, 0.7, rho), excess, 1e-5 * (1 + excess));
                assert_near(sotto__score_square(score, c), square, 1e-5 * square);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_without_a_score_are_told),
        cmocka_unit_test(scores_are_derivatives_of_the_likelihood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
