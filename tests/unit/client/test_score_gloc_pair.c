/* The GLOC pair: hostile estimates, the residual by hand, its clip, the diameter of its range. */
#include "client/score_rows.h"
#include "distance.h"
#include "test.h"

#include <float.h>
#include <math.h>

static sotto_spec spec_of(uint32_t dim, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_LDP_GLOC;
    spec.score = SOTTO_SCORE_GLOC_PAIR;
    spec.link = link;
    spec.dim = dim;
    spec.delta = 1e-6;
    return spec;
}

/* The residual e of one number x = 1: the second of the pair. */
static double residual(const sotto_spec *spec, double online, double reward)
{
    const double x = 1, theta = 1e308; /* theta is the other estimate, and does not matter */
    const sotto__scored scored = {
        .spec = spec, .x = &x, .reward = reward, .theta = &theta, .online = &online};
    double v[2];
    sotto__score_gloc_pair(&scored, v);
    assert_true(v[0] == 1);
    return v[1];
}

static void hostile_estimates_give_a_residual_within_its_bound(void **state)
{
    (void)state;
    const double odd[] = {NAN,    INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, -1e300,
                          1e-310, 0,        -0.0,      710,     -710,     37,    -37};
    for (size_t i = 0; i < 4 * sizeof odd / sizeof odd[0]; i++) {
        sotto_spec spec = spec_of(1, (sotto_link)(i % 4));
        for (double reward = -1; reward <= 1; reward += 0.5) {
            double e = residual(&spec, odd[i / 4], reward);
            assert_true(fabs(e) <= 2);
            if (!isfinite(odd[i / 4])) assert_true(e == residual(&spec, 0, reward));
        }
    }
    const sotto_spec two = spec_of(2, SOTTO_LINK_IDENTITY);
    const double x[] = {0.6, 0.8}, online[] = {DBL_MAX, DBL_MAX}, against[] = {DBL_MAX, -DBL_MAX};
    double v[5];
    sotto__scored scored = {.spec = &two, .x = x, .online = online};
    sotto__score_gloc_pair(&scored, v);
    assert_true(fabs(v[3]) <= 1.2 && fabs(v[4]) <= 1.6);
    scored.online = against;
    sotto__score_gloc_pair(&scored, v);
    assert_true(v[3] == -1.2 && v[4] == -1.6);
}

static void the_residual_is_clipped_to_twice_the_largest_reward(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(1, SOTTO_LINK_IDENTITY);
    assert_true(residual(&spec, 1.25, 0.25) == 1);
    assert_true(residual(&spec, 1.25, -0.75) == 2);
    assert_true(residual(&spec, 1.25, -1) == 2);
    assert_true(residual(&spec, -9, 1) == -2);
    assert_true(residual(&spec, 0, 0.5) == -0.5);
    spec.reward_lo = -3; /* the larger end counts, whichever it is */
    assert_true(residual(&spec, 9, 1) == 6);
    assert_true(residual(&spec, 4, 1) == 3);
    spec.reward_lo = 0.5, spec.reward_hi = 4;
    assert_true(residual(&spec, -9, 1) == -8);
}

static void the_residual_goes_through_the_link(void **state)
{
    (void)state;
    const double v = 0.75;
    const double means[] = {v, 1 / (1 + exp(-v)), erfc(-v / sqrt(2)) / 2, exp(v)};
    for (int link = 0; link < 4; link++) {
        const sotto_spec spec = spec_of(1, (sotto_link)link);
        assert_near(residual(&spec, v, 0.25), means[link] - 0.25, 1e-14);
    }
}

/* x = (1, 2)/4, theta_h = (2, 1): mu = 1, r = 1/2, e = 1/2; sqrt 2 for gaussian noise alone. */
static void the_pair_is_the_triangle_and_the_residual_s_multiple(void **state)
{
    (void)state;
    const double x[] = {0.25, 0.5}, online[] = {2, 1};
    for (int law = 0; law < 2; law++) {
        sotto_spec spec = spec_of(2, SOTTO_LINK_IDENTITY);
        spec.noise_law = (sotto_noise_law)law;
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = 0.5, .online = online};
        double v[6] = {[5] = 7};
        sotto__score_gloc_pair(&scored, v);
        assert_true(v[0] == 0.0625 && v[2] == 0.25);
        assert_near(v[1], 0.125 * (law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2)), 1e-16);
        assert_true(v[3] == 0.125 && v[4] == 0.25);
        assert_true(v[5] == 7);
    }
}

static void no_pair_is_further_apart_than_the_diameter_and_one_nearly_attains_it(void **state)
{
    (void)state;
    static const double bounds[] = {0.5, 1, 3}, rewards[] = {0.3, 1, 5};
    for (int i = 0; i < 3 * 3 * 2 * 2 * 3; i++) {
        sotto_spec spec = spec_of(1 + (uint32_t)(i / 36), SOTTO_LINK_IDENTITY);
        spec.noise_law = (sotto_noise_law)(i % 2);
        if (i % 2 == 1) spec.delta = 0;
        spec.parameters = (sotto_parameters)(i / 2 % 2);
        spec.context_norm_max = bounds[i / 4 % 3];
        spec.reward_hi = rewards[i / 12 % 3];
        spec.reward_lo = i % 5 == 0 ? 0 : -spec.reward_hi;
        assert_diameter_holds(&spec, (uint64_t)i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_estimates_give_a_residual_within_its_bound),
        cmocka_unit_test(the_residual_is_clipped_to_twice_the_largest_reward),
        cmocka_unit_test(the_residual_goes_through_the_link),
        cmocka_unit_test(the_pair_is_the_triangle_and_the_residual_s_multiple),
        cmocka_unit_test(no_pair_is_further_apart_than_the_diameter_and_one_nearly_attains_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
