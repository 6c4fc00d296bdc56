/* Layer 2: accuracy, Delta/sigma and epsilon against known answers (SciPy), and the check that noise
 * is normal. */
#include "audit_gaussian.h"
#include "random.h"
#include "test.h"

#include <math.h>

static void accuracy_bounds_the_ratio(void **state)
{
    (void)state;
    assert_near(sotto__gaussian_lower(55000, 100000, 0.001), 0.22673389605506272, 1e-9);
    assert_near(sotto__gaussian_lower(500, 1000, 0.01), 0, 0);
    assert_near(sotto__gaussian_lower(1000, 1000, 0.01), 5.209870283623136, 1e-8);
    assert_near(sotto__gaussian_p(55000, 100000, 0.2) / 5.4316804620487005e-11, 1, 1e-6);
}

/* sigma^2 = 55.670 at epsilon 1, delta 1e-5, diameter 2. */
static void ratio_and_epsilon_are_each_other_s_inverse(void **state)
{
    (void)state;
    assert_near(sotto__gaussian_allowed(1, 1e-5), 2 / sqrt(55.670), 1e-5);
    assert_near(sotto__gaussian_epsilon(2 / sqrt(55.670), 1e-5), 1, 1e-4);
    assert_near(sotto__gaussian_epsilon(2 / sqrt(1.4411), 1e-5), 8, 1e-3);
    assert_near(sotto__gaussian_epsilon(1e-6, 1e-5), 0, 0);
    assert_near(sotto__gaussian_epsilon(1000, 1e-5), 50, 1e-6);
}

#define TRIALS 20000u
static sotto__scored_trial sample[TRIALS];

typedef double noise_function(double normal, double uniform);

static double normal_noise(double normal, double uniform)
{
    (void)uniform;
    return 3 * normal;
}

static double laplace_noise(double normal, double uniform)
{
    (void)normal;
    return uniform < 0.5 ? log(2 * uniform) : -log(2 * (1 - uniform));
}

/* The step that PrivUnit's cap makes in the middle. */
static double stepped_noise(double normal, double uniform)
{
    return uniform < 0.25 ? fabs(normal) : normal;
}

static double no_noise(double normal, double uniform)
{
    (void)normal, (void)uniform;
    return 0;
}

static double normality_of(noise_function *noise)
{
    sotto__seeded random;
    sotto__seeded_begin(&random, 9);
    for (uint32_t i = 0; i < TRIALS; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        double uniform = sotto__uniform(sotto__seeded_next(&random));
        sample[i] = (sotto__scored_trial){noise(normal[0], uniform) + 7 * (i % 2), i % 2};
    }
    return sotto__normality_p(sample, TRIALS);
}

static void normal_noise_is_told_from_other_noise(void **state)
{
    (void)state;
    assert_true(normality_of(normal_noise) > 0.01);
    assert_true(normality_of(laplace_noise) < 1e-6);
    assert_true(normality_of(stepped_noise) < 1e-6);
    assert_true(normality_of(no_noise) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_bounds_the_ratio),
        cmocka_unit_test(ratio_and_epsilon_are_each_other_s_inverse),
        cmocka_unit_test(normal_noise_is_told_from_other_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
