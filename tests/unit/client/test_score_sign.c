/* The sign score: one bit of the residual, always of the true context. */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static sotto_spec two_dims(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    return spec;
}

static void hostile_parameters_count_as_a_prediction_of_zero(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims();
    const double x[] = {0.6, 0.8}, hostile[][2] = {{NAN, 1}, {INFINITY, 0}, {1e308, 1e308}};
    for (size_t i = 0; i < 3; i++) {
        sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x, .theta = hostile[i]};
        double v[2];
        scored.reward = i < 2 ? -0.5 : 0.5; /* 0 > -0.5; 1.4e308 is finite and large */
        sotto__score_sign(&scored, v);
        assert_near(v[0], 0.6, 1e-15);
        assert_near(v[1], 0.8, 1e-15);
    }
}

static void zero_context_gives_zero(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims();
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_sign(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

static void a_prediction_above_the_reward_is_plus_one_and_a_tie_is_minus_one(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims();
    const double x[] = {0.5, 0}, theta[] = {0.5, 9};
    const double rewards[] = {-1, 0.2499, 0.25, 0.2501, 1}, signs[] = {1, 1, -1, -1, -1};
    for (size_t i = 0; i < 5; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = rewards[i], .theta = theta};
        double v[2];
        sotto__score_sign(&scored, v);
        assert_true(v[0] == signs[i]);
        assert_true(v[1] == 0);
    }
}

/* x . theta = 0.3 > 0, but y = (0.27, 0.3) and y . theta = -0.33: the sign must not be y's. */
static void the_sign_is_of_the_true_context_not_of_what_is_kept_of_it(void **state)
{
    (void)state;
    const sotto_spec spec = two_dims();
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {5, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2];
    sotto__score_sign(&scored, v);
    double norm = hypot(0.27, 0.3);
    assert_near(v[0], 0.27 / norm, 1e-14);
    assert_near(v[1], 0.3 / norm, 1e-14);
}

static void per_arm_scores_are_the_whole_context_direction(void **state)
{
    (void)state;
    sotto_spec spec = two_dims();
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    const double x[] = {-0.3, 0.4}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0.5, .theta = theta};
    double v[2];
    sotto__score_sign(&scored, v);
    assert_near(v[0], 0.6, 1e-15);
    assert_near(v[1], -0.8, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_parameters_count_as_a_prediction_of_zero),
        cmocka_unit_test(zero_context_gives_zero),
        cmocka_unit_test(a_prediction_above_the_reward_is_plus_one_and_a_tie_is_minus_one),
        cmocka_unit_test(the_sign_is_of_the_true_context_not_of_what_is_kept_of_it),
        cmocka_unit_test(per_arm_scores_are_the_whole_context_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
