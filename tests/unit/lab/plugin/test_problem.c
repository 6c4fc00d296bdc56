/* What the two sides of a run are told is what the spec says. */
#include "lab/plugin/problem.h"
#include "test.h"

static void a_problem_is_that_of_the_spec(void **state)
{
    (void)state;
    const double worth[3] = {1, 2, 3};
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT);
    spec.dim = 5;
    spec.arms = 3;
    spec.link = SOTTO_LINK_LOG;
    spec.reward_hi = 9;
    spec.context_norm_max = 0.5;
    spec.theta_norm_max = 2;
    sotto_problem problem = sotto__problem_of(&spec, 77, worth);
    assert_int_equal(problem.dim, 5);
    assert_int_equal(problem.arms, 3);
    assert_int_equal(problem.parameters, SOTTO_PARAMETERS_SHARED);
    assert_int_equal(problem.link, SOTTO_LINK_LOG);
    assert_int_equal(problem.reward_kind, SOTTO_REWARD_COUNT);
    assert_int_equal(problem.context_count, 15);
    assert_int_equal(problem.theta_count, 5);
    assert_near(problem.reward_lo, spec.reward_lo, 0);
    assert_near(problem.reward_hi, 9, 0);
    assert_near(problem.context_norm_max, 0.5, 0);
    assert_near(problem.theta_norm_max, 2, 0);
    assert_int_equal(problem.horizon, 77);
    assert_ptr_equal(problem.worth, worth);
}

static void per_arm_parameters_have_one_context_and_many_parameters(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 5;
    spec.arms = 3;
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    sotto_problem problem = sotto__problem_of(&spec, 0, NULL);
    assert_int_equal(problem.context_count, 5);
    assert_int_equal(problem.theta_count, 15);
    assert_int_equal(problem.horizon, 0);
    assert_null(problem.worth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_is_that_of_the_spec),
        cmocka_unit_test(per_arm_parameters_have_one_context_and_many_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
