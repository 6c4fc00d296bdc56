/* The score of the mean phase: the direction of the context, whatever else the round knows. */
#include "client/score_rows.h"
#include "test.h"

#include <math.h>

static void zero_context_gives_zero(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    const double x[] = {0, 0}, theta[] = {1, 1};
    spec.dim = 2;
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 1, .x = x, .reward = 1, .theta = theta};
    double v[] = {7, 7};
    sotto__score_mean(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

static void neither_reward_nor_a_hostile_parameter_is_in_it(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    const double x[] = {-3e-200, 4e-200};
    const double theta[][2] = {{NAN, 0}, {INFINITY, 0}, {1e308, 0}, {0, 0}};
    spec.dim = 2;
    for (size_t i = 0; i < 8; i++) {
        const sotto__scored scored = {.spec = &spec,
                                      .along_weight = 1,
                                      .x = x,
                                      .reward = (double)(i / 4),
                                      .theta = theta[i % 4]};
        double v[2];
        sotto__score_mean(&scored, v);
        assert_near(v[0], -0.6, 1e-15);
        assert_near(v[1], 0.8, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_context_gives_zero),
        cmocka_unit_test(neither_reward_nor_a_hostile_parameter_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
