/* Distributions and confidence bounds against known answers (SciPy 1.10). */
#include "lab/math/statistics.h"
#include "test.h"

#include <math.h>

#define assert_relative(got, wanted, tolerance) assert_near((got) / (wanted), 1, tolerance)

static void quantiles_of_the_normal(void **state)
{
    (void)state;
    assert_near(sotto__normal_quantile(1e-12), -7.034483825301131, 1e-9);
    assert_near(sotto__normal_quantile(1e-7), -5.1993375821928165, 1e-10);
    assert_near(sotto__normal_quantile(0.005), -2.575829303548901, 1e-12);
    assert_near(sotto__normal_quantile(0.3), -0.5244005127080409, 1e-12);
    assert_near(sotto__normal_quantile(0.5), 0, 1e-12);
    assert_near(sotto__normal_quantile(0.999), 3.090232306167813, 1e-11);
    assert_relative(sotto__normal_tail(5), 2.866515718791933e-07, 1e-12);
    assert_relative(sotto__two_sided(-2), 0.04550026389635839, 1e-12);
}

static void tails_of_chi_square(void **state)
{
    (void)state;
    assert_relative(sotto__chi_square_tail(3.84, 1), 0.05004352124870519, 1e-10);
    assert_relative(sotto__chi_square_tail(10, 10), 0.44049328506521257, 1e-12);
    assert_relative(sotto__chi_square_tail(120, 63), 2.010693881650102e-05, 1e-10);
    assert_relative(sotto__chi_square_tail(250, 127), 4.6546528989113714e-10, 1e-10);
    assert_near(sotto__chi_square_tail(0, 3), 1, 0);
    assert_near(sotto__chi_square_tail(NAN, 3), 1, 0);
}

static void inverse_of_the_incomplete_beta(void **state)
{
    (void)state;
    assert_relative(sotto__beta_inverse(0.005, 1, 100), 5.012416197765643e-05, 1e-10);
    assert_relative(sotto__beta_inverse(0.005, 50, 51), 0.368861437358924, 1e-11);
    assert_relative(sotto__beta_inverse(1e-7, 600000, 400001), 0.597450536647072, 1e-9);
    assert_relative(sotto__beta_inverse(0.5, 2.5, 1.5), 0.6475477201228691, 1e-11);
    assert_relative(sotto__beta_inverse(0.001, 1, 1000000), 1.0005003330828618e-09, 1e-7);
}

static void bounds_of_clopper_and_pearson(void **state)
{
    (void)state;
    assert_near(sotto__chance_lower(0, 100, 0.005), 0, 0);
    assert_relative(sotto__chance_upper(0, 100, 0.005), 0.05160402962410399, 1e-10);
    assert_relative(sotto__chance_lower(100, 100, 0.005), 0.948395970375896, 1e-12);
    assert_near(sotto__chance_upper(100, 100, 0.005), 1, 0);
    assert_relative(sotto__chance_lower(73, 100, 0.005), 0.601434349082817, 1e-11);
    assert_relative(sotto__chance_upper(73, 100, 0.005), 0.8359596508682342, 1e-11);
    assert_relative(sotto__chance_lower(731, 1000, 1e-4), 0.6762949540893338, 1e-11);
}

static void tails_of_the_binomial(void **state)
{
    (void)state;
    assert_relative(sotto__binomial_tail(60, 100, 0.5), 0.028443966820490444, 1e-11);
    assert_relative(sotto__binomial_p(60, 100, 0.5), 0.05688793364098089, 1e-11);
    assert_near(sotto__binomial_p(3, 1000, 0.0027), 1, 1e-9);
    assert_relative(sotto__binomial_p(731500, 1000000, 0.7310585786300049), 0.3200345578172312,
                    1e-7);
    assert_near(sotto__binomial_tail(0, 10, 0.1), 1, 0);
}

static void p_values_of_counts_and_variances(void **state)
{
    (void)state;
    const uint64_t even[] = {100, 100, 100}, uneven[] = {200, 50, 50};
    assert_near(sotto__uniform_p(even, 3), 1, 1e-12);
    assert_true(sotto__uniform_p(uneven, 3) < 1e-20);
    assert_near(sotto__uniform_p(uneven, 1), 1, 0);
    /* 25 in 64 places: 26 neighbours are one group, a half that is empty is still seen. */
    uint64_t sparse[64] = {0}, none[3] = {0};
    for (int i = 0; i < 25; i++) {
        sparse[i]++;
    }
    assert_true(sotto__uniform_p(sparse, 64) < 1e-4);
    sparse[60] = 9; /* and one place that was hit nine times is no proof of anything */
    assert_true(sotto__uniform_p(sparse + 32, 32) > 0.01);
    assert_near(sotto__uniform_p(none, 3), 1, 0);
    /* chi-square with 100 degrees is above 129.561 with probability 0.025. */
    assert_near(sotto__variance_p(1.29561, 100, 3), 0.05, 0.002);
    assert_near(sotto__variance_p(0.742219, 100, 3), 0.05, 0.002);
    assert_true(sotto__variance_p(1.1, 100000, 6) < 1e-10);
    assert_near(sotto__smallest_p(0.2, 3), 0.6, 1e-12);
    assert_near(sotto__smallest_p(0.5, 3), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_the_normal),
        cmocka_unit_test(tails_of_chi_square),
        cmocka_unit_test(inverse_of_the_incomplete_beta),
        cmocka_unit_test(bounds_of_clopper_and_pearson),
        cmocka_unit_test(tails_of_the_binomial),
        cmocka_unit_test(p_values_of_counts_and_variances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
