/* The Huber score: the residual over tau, clipped to [-1, 1]. */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static sotto_spec two_dims(double tau)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.score = SOTTO_SCORE_HUBER;
    spec.huber_tau = tau;
    return spec;
}

static void huge_residuals_and_tiny_taus_are_clipped(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims(1e-6);
    const double x[] = {0.6, 0.8}, theta[][2] = {{1e308, 0}, {-1e308, 0}, {INFINITY, 0}, {NAN, 0}};
    const double signs[] = {1, -1, -1, -1}; /* what is not finite predicts 0, below the reward */
    for (size_t i = 0; i < 4; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_huber(&scored, v);
        assert_near(v[0], 0.6 * signs[i], 1e-15);
        assert_near(v[1], 0.8 * signs[i], 1e-15);
    }
}

static void zero_context_gives_zero(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims(0.5);
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_huber(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

static void inside_tau_the_length_is_the_residual_over_tau(void **state)
{
    (void)state;
    const double taus[] = {0.25, 0.5, 2};
    const double x[] = {0.3, -0.4}, theta[] = {1, 0.5}; /* predicts 0.1 */
    for (size_t t = 0; t < 3; t++) {
        for (int r = -10; r <= 10; r++) {
            const sotto_spec spec = two_dims(taus[t]);
            const sotto__scored scored = {
                .spec = &spec, .along_weight = 1, .x = x, .reward = r / 10.0, .theta = theta};
            double v[2], psi = (0.1 - r / 10.0) / taus[t];
            if (psi > 1) psi = 1;
            if (psi < -1) psi = -1;
            sotto__score_huber(&scored, v);
            assert_near(v[0], psi * 0.6, 1e-14);
            assert_near(v[1], psi * -0.8, 1e-14);
        }
    }
}

static void the_residual_is_of_the_true_context(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims(0.6);
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {0.1, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2], norm = hypot(0.27, 0.3); /* y = x - 0.7 (x . u) u */
    sotto__score_huber(&scored, v);
    assert_near(v[0], 0.5 * 0.27 / norm, 1e-14); /* x . theta / tau = 0.3 / 0.6 */
    assert_near(v[1], 0.5 * 0.3 / norm, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_residuals_and_tiny_taus_are_clipped),
        cmocka_unit_test(zero_context_gives_zero),
        cmocka_unit_test(inside_tau_the_length_is_the_residual_over_tau),
        cmocka_unit_test(the_residual_is_of_the_true_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
