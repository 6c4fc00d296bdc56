/* The gradient (mu(x . theta) - r) x over R = 2 c_r C_B, clipped to the unit ball, for every link.
 */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static sotto_spec spec_of(sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.method = SOTTO_METHOD_LDP_SGD;
    spec.score = SOTTO_SCORE_GRADIENT;
    spec.link = link;
    return spec;
}

static double plain_mean(sotto_link link, double z)
{
    switch (link) {
    case SOTTO_LINK_IDENTITY: return z;
    case SOTTO_LINK_LOGIT: return exp(z) / (1 + exp(z));
    case SOTTO_LINK_PROBIT: return (1 + erf(z / sqrt(2))) / 2;
    case SOTTO_LINK_LOG: return pow(2.718281828459045, z);
    }
    return NAN;
}

static void gradients_longer_than_the_bound_are_clipped_to_it(void **state)
{
    (void)state;
    const double x[] = {0.6, -0.8};
    const double theta[][2] = {{1e308, 0}, {-1e308, 0}, {1e5, 0}, {6, 0}, {-6, 0}};
    const double signs[] = {1, -1, 1, 1, -1};
    for (size_t i = 0; i < 5; i++) {
        const sotto_spec spec = spec_of(SOTTO_LINK_IDENTITY);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_near(v[0], 0.6 * signs[i], 1e-15);
        assert_near(v[1], -0.8 * signs[i], 1e-15);
    }
}

static void an_exploding_mean_is_clipped_even_where_its_product_overflows(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(SOTTO_LINK_LOG);
    spec.reward_lo = 0;
    spec.reward_hi = 1e-6;
    const double x[] = {0, 1}, theta[] = {0, 1e9};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 1, .x = x, .reward = 0, .theta = theta};
    double v[2];
    sotto__score_gradient(&scored, v);
    assert_true(v[0] == 0 && v[1] == 1);
}

static void what_is_not_finite_predicts_zero(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_LINK_IDENTITY);
    const double x[] = {0, 1}, theta[][2] = {{NAN, 0}, {0, INFINITY}, {0, -INFINITY}};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_near(v[1], -0.25, 1e-15); /* (0 - 0.5) 1 / (2 1 1) */
    }
}

static void zero_and_denormal_contexts_give_nearly_nothing(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(SOTTO_LINK_LOGIT);
    const double x[][2] = {{0, 0}, {5e-324, 0}, {1e-310, -1e-309}}, theta[] = {1, 1};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x[i], .reward = 1, .theta = theta};
        double v[] = {7, 7};
        sotto__score_gradient(&scored, v);
        assert_true(hypot(v[0], v[1]) <= 1e-308);
    }
}

static void every_link_and_bound_follows_the_formula(void **state)
{
    (void)state;
    const double ranges[][2] = {{-1, 1}, {0, 10}, {-3, 0.5}}, norms[] = {0.5, 1, 20};
    for (int at = 0; at < 4 * 3 * 3 * 5 * 3; at++) {
        sotto_spec spec = spec_of((sotto_link)(at % 4));
        spec.reward_lo = ranges[at / 4 % 3][0];
        spec.reward_hi = ranges[at / 4 % 3][1];
        spec.context_norm_max = norms[at / 12 % 3];
        const double x[] = {0.3 * spec.context_norm_max, -0.4 * spec.context_norm_max};
        const double theta[] = {at / 36 % 5 - 2.0, 0.25};
        double reward = spec.reward_lo + at / 180 / 2.0 * (spec.reward_hi - spec.reward_lo);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = reward, .theta = theta};
        double residual = plain_mean(spec.link, x[0] * theta[0] + x[1] * theta[1]) - reward;
        double reward_max = fabs(spec.reward_lo) > fabs(spec.reward_hi) ? fabs(spec.reward_lo)
                                                                        : fabs(spec.reward_hi);
        double radius = 2 * reward_max * spec.context_norm_max;
        double g[] = {residual * x[0], residual * x[1]};
        double shrink = fmax(radius, hypot(g[0], g[1]));
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_near(v[0], g[0] / shrink, 1e-12);
        assert_near(v[1], g[1] / shrink, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_longer_than_the_bound_are_clipped_to_it),
        cmocka_unit_test(an_exploding_mean_is_clipped_even_where_its_product_overflows),
        cmocka_unit_test(what_is_not_finite_predicts_zero),
        cmocka_unit_test(zero_and_denormal_contexts_give_nearly_nothing),
        cmocka_unit_test(every_link_and_bound_follows_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
