/* An experiment under way: how it begins, its phases, and many reports at once. test_plan.c holds all of it to a
 * twin that takes every report by itself. */
#include "lab/plan/course.h"
#include "scenes.h"
#include "test.h"

#include <math.h>

static sotto_plan plan_of(uint32_t dim, sotto_parameters parameters, sotto_link link)
{
    sotto_match match = sphere_match(parameters, link, dim, 4, 1, 20000);
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

/* The first person, of whom nothing is known, loses what a random arm does. */
static void it_begins_with_nothing_known(void **state)
{
    (void)state;
    const uint32_t dims[] = {1, 2, 3, 4, 5, 20};
    for (uint32_t i = 0; i < 6 * 2 * 4; i++) {
        sotto_plan plan = plan_of(dims[i % 6], (sotto_parameters)(i / 6 % 2), (sotto_link)(i / 12));
        double most = plan.best_reward - plan.chance_reward;
        sotto__course c = sotto__course_begin(&plan, 20000, true);
        assert_true(c.t == 0 && c.regret == 0);
        assert_near(sotto__course_next(&c) / most, 1, 1e-12);
        sotto__course_advance(&c, 1);
        assert_near(c.regret / most, 1, 1e-12);
    }
}

static void it_can_be_walked_in_steps(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(5, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT);
    sotto__course at_once = sotto__course_begin(&plan, 20000, true), slowly = at_once;
    sotto__course_advance(&at_once, 20000);
    for (uint64_t t = 1; t <= 20000; t += 7) {
        sotto__course_advance(&slowly, t);
    }
    sotto__course_advance(&slowly, 20000);
    assert_int_equal(slowly.t, 20000);
    assert_near(slowly.regret / at_once.regret, 1, 1e-4);
}

static void phases_end_where_learning_says(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(5, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT);
    sotto__course c = sotto__course_begin(&plan, 20000, true);
    assert_true(c.mean_phase > 10 && c.warm_up > 10);
    assert_int_equal(sotto__course_phase_end(&c, 5), 5);
    assert_int_equal(sotto__course_phase_end(&c, 20000), c.mean_phase);
    sotto__course_advance(&c, c.mean_phase);
    assert_int_equal(sotto__course_phase_end(&c, 20000), c.mean_phase + c.warm_up);
    sotto__course_advance(&c, c.mean_phase + c.warm_up);
    assert_int_equal(sotto__course_phase_end(&c, 20000), 20000);
    sotto__course open = sotto__course_begin(&plan, 20000, false);
    assert_int_equal(open.mean_phase, 0); /* nobody is asked for a mean without privacy */
}

/* On a line an arm that hides behind another is no better than it. */
static void nothing_hides_on_a_line(void **state)
{
    (void)state;
    sotto_plan line = plan_of(1, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    sotto_plan plane = plan_of(2, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    sotto__course c = sotto__course_begin(&line, 20000, true);
    sotto__course_advance(&c, 20000);
    assert_true(c.hidden == 0);
    c = sotto__course_begin(&plane, 20000, true);
    sotto__course_advance(&c, 20000);
    assert_true(c.hidden > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_nothing_known),
        cmocka_unit_test(it_can_be_walked_in_steps),
        cmocka_unit_test(phases_end_where_learning_says),
        cmocka_unit_test(nothing_hides_on_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
