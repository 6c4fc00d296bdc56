/* What delay costs: nothing without a clock, and otherwise people at random arms and old models, by hand. */
#include "lab/plan/delayed.h"
#include "scenes.h"
#include "test.h"

#include <math.h>

static sotto_plan plan_of(sotto_parameters parameters, uint32_t dim, uint32_t window_s,
                          uint32_t spread_s, double rate)
{
    sotto_match match = sphere_match(parameters, SOTTO_LINK_IDENTITY, dim, 5, 1, 100000);
    sotto_match_set_clock(&match, window_s, spread_s, rate);
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

static double regret_at(const sotto_plan *plan, uint64_t people)
{
    sotto__delayed d = sotto__delayed_begin(plan, people, true);
    sotto__delayed_advance(&d, people);
    return d.regret;
}

static void without_a_clock_it_is_the_course(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, 5, 0, 0, 0);
    sotto__course c = sotto__course_begin(&plan, 100000, true);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    for (uint64_t people = 1; people < 100000; people *= 3) {
        sotto__course_advance(&c, people);
        sotto__delayed_advance(&d, people);
        assert_true(d.regret == c.regret);
        assert_int_equal(sotto__delayed_behind(&d), 0);
        assert_true(sotto__delayed_next(&d) == sotto__course_next(&c));
    }
}

/* Epochs of one second: 100 reports, each in the model that follows it. */
static void epochs_of_a_second_by_hand(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, 5, 0, 0, 100);
    double most = plan.best_reward - plan.chance_reward;
    sotto__course c = sotto__course_begin(&plan, 100000, true);
    double sum = 100 * most;
    assert_near(regret_at(&plan, 50), 50 * most, 1e-9);
    assert_near(regret_at(&plan, 100), sum, 1e-9);
    for (uint64_t known = 100; known < 1000; known += 100) {
        sotto__course_advance(&c, known);
        sum += 100 * sotto__course_next(&c);
        assert_near(regret_at(&plan, known + 100), sum, 1e-9 * sum);
    }
}

/* Nobody knows anything before the first report comes, nor before 20 did. */
static void the_window_is_at_random_arms(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, 2, 60, 0, 10);
    double most = plan.best_reward - plan.chance_reward;
    assert_near(regret_at(&plan, 620), 620 * most, 1e-6);
    assert_true(regret_at(&plan, 700) < 700 * most - 1);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    sotto__delayed_advance(&d, 100000);
    assert_int_equal(sotto__delayed_behind(&d), 750); /* the window, and half of an epoch of 300 */
    assert_int_equal(sotto__delayed_epoch(&d), 300);
}

/* A spread is half of itself, in the mean, once it has passed. */
static void a_spread_counts_half(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, 2, 0, 80, 10);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    sotto__delayed_advance(&d, 100000);
    assert_int_equal(sotto__delayed_behind(&d), 600); /* epochs of 400 */
}

/* The longer the delay, the more it costs; far from the start a stretch of epochs is one step. */
static void more_delay_costs_more(void **state)
{
    (void)state;
    double before = 0;
    for (uint32_t window_s = 0; window_s < 4000; window_s = 2 * window_s + 10) {
        sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, 3, window_s, 0, 10);
        double regret = regret_at(&plan, 100000);
        assert_true(regret > before);
        before = regret;
        sotto__delayed open = sotto__delayed_begin(&plan, 100000, false);
        sotto__delayed_advance(&open, 100000);
        assert_true(open.regret < regret);
    }
}

/* It takes no longer for a trillion people. */
static void a_long_horizon_is_no_long_loop(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, 5, 1, 1, 30);
    double regret = regret_at(&plan, SOTTO_HORIZON_MAX);
    assert_true(isfinite(regret) && regret > regret_at(&plan, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_clock_it_is_the_course),
        cmocka_unit_test(epochs_of_a_second_by_hand),
        cmocka_unit_test(the_window_is_at_random_arms),
        cmocka_unit_test(a_spread_counts_half),
        cmocka_unit_test(more_delay_costs_more),
        cmocka_unit_test(a_long_horizon_is_no_long_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
