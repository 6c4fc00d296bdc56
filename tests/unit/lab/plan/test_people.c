/* How many people a target takes: with so many it is reached, not with one less, and with all larger numbers. */
#include "checked.h"
#include "lab/plan/course.h"
#include "scenes.h"
#include "test.h"

#include <sotto/lab/plans.h>

#include <math.h>

static sotto_plan plan_of(sotto_parameters parameters, sotto_link link, bool chances, uint32_t dim,
                          uint32_t arms, double epsilon)
{
    sotto_match match = sphere_match(parameters, link, dim, arms, epsilon, 1000);
    if (chances) { /* 0/1 rewards under the identity link */
        match.spec.reward_kind = SOTTO_REWARD_BINARY, match.spec.score = SOTTO_SCORE_SELF;
        match.spec.reward_lo = 0, match.environment.law = SOTTO_LAW_BERNOULLI;
        match.spec.theta_norm_max = match.environment.theta_norm = 0.5;
    }
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

/* An experiment of so many people, planned for them. */
static double mean_of(const sotto_plan *plan, uint64_t people)
{
    sotto__course c = sotto__course_begin(plan, people, true);
    sotto__course_advance(&c, people);
    return c.regret / (double)people;
}

static double most_of(const sotto_plan *plan)
{
    return plan->best_reward - plan->chance_reward;
}

/* Each of the next people, then ever fewer of them. */
static void assert_from_there_on(const sotto_plan *plan, double target, uint64_t people,
                                 uint64_t each, double factor)
{
    for (uint64_t more = 0; more < each; more++) {
        if (mean_of(plan, people + more) <= target) continue;
        fail_msg("%g is reached by %llu people, not by %llu", target, (unsigned long long)people,
                 (unsigned long long)(people + more));
    }
    for (double more = factor * (double)people; more < 1e12; more *= factor) {
        if (mean_of(plan, (uint64_t)more) <= target) continue;
        fail_msg("%g is reached by %llu people, not by %.0f", target, (unsigned long long)people,
                 more);
    }
}

static void assert_answer(const sotto_plan *plan, double target, uint64_t each, double factor)
{
    uint64_t people = sotto_plan_people(plan, target);
    if (people == 0) {
        assert_true(mean_of(plan, SOTTO_HORIZON_MAX) > target);
        return;
    }
    if (people > 1) assert_true(mean_of(plan, people - 1) > target);
    assert_from_there_on(plan, target, people, each, factor);
}

/* ---- one piece ---------------------------------------------------------------------------- */

static void with_one_parameter_the_fewest_is_the_answer(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, (sotto_link)i, false, 5, 5, 1);
        for (double part = 0.9; part > 1e-6; part /= 7) {
            double target = part * most_of(&plan);
            uint64_t few = 0, enough = SOTTO_HORIZON_MAX;
            while (enough - few > 1) {
                uint64_t middle = few + (enough - few) / 2;
                *(mean_of(&plan, middle) <= target ? &enough : &few) = middle;
            }
            assert_int_equal(sotto_plan_people(&plan, target), enough);
        }
    }
}

static void extremes_have_their_answers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        sotto_plan plan = plan_of((sotto_parameters)i, SOTTO_LINK_IDENTITY, false, 5, 5, 1);
        assert_int_equal(sotto_plan_people(&plan, 10), 1);
        assert_int_equal(sotto_plan_people(&plan, 1e6), 1);
        assert_int_equal(sotto_plan_people(&plan, 1e-12), 0);
        assert_int_equal(sotto_plan_people(&plan, NAN), 0);
        assert_int_equal(sotto_plan_people(&plan, -1), 0);
    }
}

/* ---- teeth -------------------------------------------------------------------------------- */

/* 14 people have two random arms, 15 three. */
static void a_number_that_does_by_luck_is_not_the_answer(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, false, 1, 2, 5);
    double target = 0.18 * most_of(&plan);
    assert_true(mean_of(&plan, 14) <= target);
    assert_true(mean_of(&plan, 15) > target);
    assert_true(sotto_plan_people(&plan, target) > 15);
    assert_answer(&plan, target, 100, 1.3);
}

/* As many people as there are when a mean phase begins pay for it. */
static void a_phase_that_begins_is_not_overlooked(void **state)
{
    (void)state;
    sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT, false, 1, 2, 0.5);
    uint64_t first = 1;
    while (sotto_learning_mean_phase(&plan.terms, first) == 0) {
        first++;
    }
    double before = mean_of(&plan, first - 1), after = mean_of(&plan, first);
    assert_true(after > 1.01 * before);
    double target = before + 0.1 * (after - before);
    assert_true(sotto_plan_people(&plan, target) > first);
    assert_answer(&plan, target, 20, 10);
}

static const double parts[] = {0.97, 0.5,    0.201, 0.15,
                               0.05, 0.0202, 0.004}; /* of what a random arm loses */

static void many_settings_hold_from_there_on(void **state)
{
    (void)state;
    const uint32_t dims[] = {2, 3, 8}, arms[] = {2, 5, 20};
    const double epsilons[] = {0.3, 1, 5};
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG,
                                SOTTO_LINK_IDENTITY};
    for (uint32_t i = 0; i < 3 * 3 * 4; i += LOADS_ARE_CHECKED ? 7 : 2) {
        uint32_t kind = i / 9;
        sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, links[kind], kind == 3, dims[i % 3],
                                  arms[i / 3 % 3], epsilons[(i + i / 3) % 3]);
        for (uint32_t part = i / 2 % 3; part < 7; part += 3) {
            assert_answer(&plan, parts[part] * most_of(&plan), 20, 3);
        }
    }
}

static void so_they_do_on_a_line(void **state)
{
    (void)state;
    const sotto_link links[] = {SOTTO_LINK_LOGIT, SOTTO_LINK_LOG, SOTTO_LINK_IDENTITY};
    for (uint32_t i = LOADS_ARE_CHECKED ? 2 : 0; i < 3; i++) {
        sotto_plan plan = plan_of(SOTTO_PARAMETERS_PER_ARM, links[i], i == 2, 1, 2 + i, 5);
        for (uint32_t part = i; part < 7; part += 4) {
            assert_answer(&plan, parts[part] * most_of(&plan), 10, 30);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_one_parameter_the_fewest_is_the_answer),
        cmocka_unit_test(extremes_have_their_answers),
        cmocka_unit_test(a_number_that_does_by_luck_is_not_the_answer),
        cmocka_unit_test(a_phase_that_begins_is_not_overlooked),
        cmocka_unit_test(many_settings_hold_from_there_on),
        cmocka_unit_test(so_they_do_on_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
