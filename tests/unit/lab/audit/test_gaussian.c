/* Layer 2: accuracy, Delta/sigma and epsilon against known answers (SciPy), and the check that
 * noise is normal. */
#include "lab/audit/gaussian.h"
#include "lab/random/random.h"
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
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(55.670), 1e-5), 1, 1e-4);
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(1.4411), 1e-5), 8, 1e-3);
    assert_near(sotto__audit_gaussian_epsilon(1e-6, 1e-5), 0, 0);
    assert_near(sotto__audit_gaussian_epsilon(1000, 1e-5), 50, 1e-6);
}

#define TRIALS 20000u

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

static double no_noise(double normal, double uniform)
{
    (void)normal, (void)uniform;
    return 0;
}

static bool normality_of(noise_function *noise, uint32_t trials, double ratio)
{
    sotto__seeded random;
    sotto__shape shape = {{0, 0}, {{0}}};
    sotto__seeded_begin(&random, 9);
    for (uint32_t i = 0; i < trials; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        double uniform = sotto__uniform(sotto__seeded_next(&random));
        sotto__shape_add(&shape, i % 2, noise(normal[0], uniform) + 7 * (i % 2));
    }
    return sotto__shape_normal(&shape, ratio);
}

static void normal_noise_is_told_from_other_noise(void **state)
{
    (void)state;
    assert_true(normality_of(normal_noise, TRIALS, 0.5));
    assert_false(normality_of(laplace_noise, TRIALS, 0.5));
    assert_false(normality_of(no_noise, TRIALS, 0.5));
    assert_false(normality_of(normal_noise, TRIALS, 0.1)); /* too few for so small a ratio */
    assert_false(normality_of(normal_noise, 0, 0.5));
}

/* The projection of PrivUnit in many dimensions: a normal, its sign turned towards the secret with
 * some chance. Never taken for normal, however few or many the trials. */
static void a_bounded_likelihood_ratio_is_never_taken_for_normal(void **state)
{
    (void)state;
    uint32_t taken = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        for (uint32_t trials = 1000; trials <= 16000; trials *= 4) {
            sotto__seeded random;
            sotto__shape shape = {{0, 0}, {{0}}};
            sotto__seeded_begin(&random, seed);
            for (uint32_t i = 0; i < trials; i++) {
                double normal[2];
                sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random),
                                   normal);
                bool kept = sotto__uniform(sotto__seeded_next(&random)) < 0.6;
                double side = (i % 2 == 0) == kept ? 1 : -1;
                sotto__shape_add(&shape, i % 2, side * fabs(normal[0]));
            }
            taken += sotto__shape_normal(&shape, 0.33); /* its ratio: 1.6 (2 x 0.6 - 1) */
        }
    }
    assert_true(taken <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_bounds_the_ratio),
        cmocka_unit_test(ratio_and_epsilon_are_each_other_s_inverse),
        cmocka_unit_test(normal_noise_is_told_from_other_noise),
        cmocka_unit_test(a_bounded_likelihood_ratio_is_never_taken_for_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
