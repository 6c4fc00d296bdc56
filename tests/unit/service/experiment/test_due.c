/* When an epoch has enough reports to end. */
#include "desk.h"
#include "server/server.h"
#include "service/experiment/experiment.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>

static desk d;

/* Epochs of 10 learn reports, 3 at least; half of the rounds measure. */
FIXTURE(start)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    d = desk_with(1, &request);
}

FIXTURE(end)
{
    desk_free(&d);
}

static due_rule rule_of(uint64_t reports_min, uint32_t nonces_max)
{
    return (due_rule){.reports_min = reports_min, .nonces_max = nonces_max, .epoch_lag_max = 2};
}

TEST_WITH(too_few_reports_are_not_enough, start, end)
{
    const due_rule rule = rule_of(3, 100000), floor = rule_of(11, 100000);
    const sotto_learner *learner = experiment_learner(d.experiment);
    assert_int_equal(sotto_learner_wanted(learner), 10);
    assert_false(due_could_be(&rule, learner, 0));
    assert_false(due_could_be(&rule, learner, 9));
    assert_true(due_could_be(&rule, learner, 10));
    assert_false(due_could_be(&floor, learner, 10));
    assert_true(due_could_be(&floor, learner, 11));
}

TEST_WITH(measure_reports_do_not_count_for_the_schedule, start, end)
{
    const due_rule rule = rule_of(3, 100000);
    const sotto_learner *learner = experiment_learner(d.experiment);
    while (sotto_learner_taken(learner) < 10) {
        assert_false(due_has_enough(&rule, learner));
        desk_take(&d, 1);
    }
    assert_true(due_has_enough(&rule, learner));
    assert_true(sotto_learner_unpublished(learner).control > 0);
}

/* A fallback produces no learn reports: without measure reports no epoch would end. */
TEST_WITH(measure_reports_count_while_a_fallback_is_served, start, end)
{
    const due_rule rule = rule_of(3, 100000);
    sotto_learner *learner = d.experiment->engine->learner;
    learner->model->served = 1;
    while (sotto_learner_taken(learner) < 10) {
        assert_false(due_has_enough(&rule, learner));
        desk_take(&d, 1);
    }
    assert_true(sotto_learner_unpublished(learner).learn < 10);
    assert_true(due_has_enough(&rule, learner));
}

/* With room for 20 nonces, and 4 epochs that may be open or opening, 5 reports are a crowd. */
TEST_WITH(all_reports_of_a_crowd_count_for_the_floor_alone, start, end)
{
    const due_rule rule = rule_of(3, 20), floor = rule_of(6, 20), odd = rule_of(3, 21);
    const sotto_learner *learner = experiment_learner(d.experiment);
    desk_take(&d, 4);
    assert_false(due_has_enough(&rule, learner));
    assert_false(due_could_be(&rule, learner, 0));
    assert_true(due_could_be(&rule, learner, 1)); /* what it took counts */
    desk_take(&d, 1);
    assert_true(due_has_enough(&rule, learner));
    assert_true(due_could_be(&rule, learner, 0));
    assert_false(due_has_enough(&odd, learner));
    assert_false(due_has_enough(&floor, learner));
    assert_false(due_could_be(&floor, learner, 0));
    assert_true(due_could_be(&floor, learner, 1));
    desk_take(&d, 1);
    assert_true(due_has_enough(&floor, learner));
    assert_true(due_has_enough(&odd, learner));
}
