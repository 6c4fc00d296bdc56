/* The moments of a round: values by hand, order and weights, and the diameter of their range. */
#include "client/score_rows.h"
#include "distance.h"
#include "test.h"

#include <math.h>

static sotto_spec spec_of(uint32_t dim, sotto_noise_law law)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.noise_law = law;
    spec.dim = dim;
    spec.delta = law == SOTTO_NOISE_LAPLACE ? 0 : 1e-6;
    return spec;
}

static void tiny_and_zero_contexts_give_finite_moments(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(2, SOTTO_NOISE_GAUSSIAN);
    const double tiny[][2] = {{0, -0.0}, {0x1p-1074, -0x1p-1074}, {1e-310, 1e-160}, {1e-6, 0}};
    for (size_t i = 0; i < 4; i++) {
        const sotto__scored scored = {.spec = &spec, .x = tiny[i], .reward = -1};
        double v[] = {7, 7, 7, 7, 7};
        sotto__score_moments(&scored, v);
        for (int j = 0; j < 5; j++) {
            assert_true(fabs(v[j]) <= 1e-6);
        }
    }
}

/* x = (1, 2, 3)/4, r = 1/2: the lower triangle row by row, then r x. The model does not matter. */
static void moments_are_the_lower_triangle_and_the_reward_s_multiple(void **state)
{
    (void)state;
    const double x[] = {0.25, 0.5, 0.75}, theta[] = {NAN, INFINITY, -1e308};
    const double plain[] = {0.0625, 0.125, 0.25, 0.1875, 0.375, 0.5625, 0.125, 0.25, 0.375};
    const bool off_diagonal[] = {false, true, false, true, true, false, false, false, false};
    for (int law = 0; law < 2; law++) {
        const sotto_spec spec = spec_of(3, (sotto_noise_law)law);
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.5, .theta = theta};
        double v[10] = {[9] = 7};
        sotto__score_moments(&scored, v);
        for (int i = 0; i < 9; i++) {
            bool scaled = off_diagonal[i] && law == SOTTO_NOISE_GAUSSIAN;
            assert_near(v[i], plain[i] * (scaled ? sqrt(2) : 1), 1e-15);
        }
        assert_true(v[9] == 7);
    }
}

static void the_reward_s_part_follows_sign_and_weight(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(1, SOTTO_NOISE_GAUSSIAN);
    const double x[] = {-0.5};
    double v[2];
    sotto__scored scored = {.spec = &spec, .x = x, .reward = -0.75};
    sotto__score_moments(&scored, v);
    assert_true(v[0] == 0.25 && v[1] == 0.375);
    sotto__score_svec(&scored, 3, v); /* `last` stands in for the reward */
    assert_true(v[0] == 0.25 && v[1] == -1.5);
    spec.method = SOTTO_METHOD_SOTTO_OLS; /* lambda 1.1 */
    sotto__score_moments(&scored, v);
    assert_near(v[1], 1.1 * 0.375, 1e-16);
}

/* ||m||^2 = ||x||^4 + lambda^2 r^2 ||x||^2 with sqrt 2: that is what the L2 diameter rests on. */
static void gaussian_moments_have_the_norm_of_the_matrix(void **state)
{
    (void)state;
    const double x[] = {0.3, -0.5, 0.1, 0.7};
    const sotto_spec spec = spec_of(4, SOTTO_NOISE_GAUSSIAN);
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.8};
    double v[14], squares = 0, norm = 0.09 + 0.25 + 0.01 + 0.49;
    sotto__score_moments(&scored, v);
    for (int i = 0; i < 14; i++) {
        squares += v[i] * v[i];
    }
    assert_near(squares, norm * norm + 0.64 * norm, 1e-15);
}

static void no_pair_is_further_apart_than_the_diameter_and_one_nearly_attains_it(void **state)
{
    (void)state;
    static const double bounds[] = {0.5, 1, 3}, rewards[] = {0.3, 1, 1.3, 5};
    for (int i = 0; i < 3 * 4 * 2 * 2 * 3; i++) {
        sotto_spec spec = spec_of(1 + (uint32_t)(i / 48), (sotto_noise_law)(i % 2));
        spec.parameters = (sotto_parameters)(i / 2 % 2);
        spec.context_norm_max = bounds[i / 4 % 3];
        spec.reward_hi = rewards[i / 12 % 4];
        spec.reward_lo = i % 5 == 0 ? -0.1 : -spec.reward_hi;
        assert_diameter_holds(&spec, (uint64_t)i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_and_zero_contexts_give_finite_moments),
        cmocka_unit_test(moments_are_the_lower_triangle_and_the_reward_s_multiple),
        cmocka_unit_test(the_reward_s_part_follows_sign_and_weight),
        cmocka_unit_test(gaussian_moments_have_the_norm_of_the_matrix),
        cmocka_unit_test(no_pair_is_further_apart_than_the_diameter_and_one_nearly_attains_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
