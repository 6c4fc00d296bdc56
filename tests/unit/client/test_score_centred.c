/* The centred score: within [-1, 1], 0 in the mean where the prediction is true, falling with the
 * reward. */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static sotto_spec spec_of(double lo, double hi)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT);
    spec.version = 2;
    spec.score = SOTTO_SCORE_CENTRED;
    spec.dim = 1;
    spec.reward_lo = lo;
    spec.reward_hi = hi;
    spec.reward_default = lo;
    return spec;
}

/* psi at a prediction and a reward: v is psi itself in one dimension. */
static double psi_of(const sotto_spec *spec, double prediction, double reward)
{
    const double x = 1;
    double v;
    const sotto__scored scored = {
        .spec = spec, .along_weight = 1, .x = &x, .reward = reward, .theta = &prediction};
    sotto__score_centred(&scored, &v);
    return v;
}

static void any_prediction_gives_a_score_within_one(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(0, 10);
    static const double predictions[] = {-1e300, -50, -4, 0, 1, 6.39, 7, 50, 1e300};
    for (size_t i = 0; i < sizeof predictions / sizeof predictions[0]; i++) {
        double before = 1;
        for (double reward = 0; reward <= 10; reward += 0.5) {
            double psi = psi_of(&spec, predictions[i], reward);
            assert_true(psi >= -1 && psi <= before);
            before = psi;
        }
    }
}

/* By an independent sum over Poisson(m) with its own logarithms. */
static void its_mean_is_zero_at_the_truth(void **state)
{
    (void)state;
    static const struct {
        double mean, lo, hi;
    } rows[] = {{0.02, 0, 10}, {0.5, 0, 10}, {0.6931, 0, 10}, {1, 0, 10},
                {3.3, 0, 10},  {3.3, 0, 4},  {3.3, 3, 10},    {7, 0, 3},
                {12, 0, 1000}, {40, 0, 60},  {599, 0, 5000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sotto_spec spec = spec_of(rows[i].lo, rows[i].hi);
        double sum = 0, m = rows[i].mean;
        for (int count = 0; count < 1500; count++) {
            double chance = exp(count * log(m) - m - lgamma(count + 1.0));
            double reward = fmax(spec.reward_lo, fmin(spec.reward_hi, count));
            sum += chance * psi_of(&spec, log(m), reward);
        }
        assert_near(sum, 0, 1e-10);
    }
}

/* Poisson(0.5): P(0) = .60653, so that q = 0 and psi(0) = P(R > 0)/P(R = 0). */
static void a_row_by_hand(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(0, 10);
    assert_near(psi_of(&spec, log(0.5), 0), expm1(0.5), 1e-12);
    assert_true(psi_of(&spec, log(0.5), 1) == -1);
    assert_true(psi_of(&spec, log(0.5), 0.25) == -1); /* a reward that is no count */
    assert_true(psi_of(&spec, log(3.3), 1) == 1);
}

/* Means below 0.02 and above 600 count as those. */
static void means_are_clamped(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(0, 1000);
    assert_near(psi_of(&spec, log(0.001), 0), expm1(0.02), 1e-12);
    assert_true(psi_of(&spec, log(0.021), 0) > expm1(0.0209));
    assert_true(psi_of(&spec, log(650), 601) == -1); /* the median of Poisson(600) is 600 */
    assert_true(psi_of(&spec, log(650), 599) == 1);
    assert_true(psi_of(&spec, log(599.5), 600) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_prediction_gives_a_score_within_one),
        cmocka_unit_test(its_mean_is_zero_at_the_truth),
        cmocka_unit_test(a_row_by_hand),
        cmocka_unit_test(means_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
