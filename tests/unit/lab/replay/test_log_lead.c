/* How far a policy is ahead of another one on the same log, from events by hand. */
#include "lab/replay/log_lead.h"
#include "test.h"

#include <math.h>

#define EVENTS 2018u /* two in each group */

/* Two arms, each with half of the events, at propensity 0.5. The first event of a group has arm 0, the second arm
 * 1; of 10 groups arm 0 wins 6 and arm 1 wins 4. */
static sotto__yardstick *log_of_two(void)
{
    sotto__yardstick *yardstick;
    sotto_people *people;
    assert_ok(sotto__yardstick_new(2, 0.01, &yardstick));
    assert_ok(sotto__yardstick_keep_groups(yardstick));
    assert_ok(sotto_people_new(1, &people));
    people->rows = EVENTS;
    for (uint32_t i = 0; i < EVENTS; i++) {
        people->arm[i] = i >= SOTTO__GROUPS;
        people->propensity[i] = 0.5;
        uint32_t group = i % SOTTO__GROUPS;
        people->reward[i] = i < SOTTO__GROUPS ? group % 10 < 6 : group % 10 >= 6;
    }
    sotto__yardstick_add(yardstick, people);
    sotto_people_free(people);
    return yardstick;
}

static void few_events_tell_nothing(void **state)
{
    (void)state;
    sotto__yardstick *yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    const double sizes[] = {0, SOTTO__AGREED_TELL - 0.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        one.effective_size = sizes[i];
        assert_true(isnan(sotto__log_lead(&one, &other, EVENTS, 1).lo));
        assert_true(isnan(sotto__log_lead(&other, &one, EVENTS, 1).hi));
    }
    sotto__yardstick_free(yardstick);
    one = (sotto__log_policy){0};
    assert_true(isnan(sotto__log_value(&one)));
}

/* Of 1009 groups, 606 are won by arm 0 and 403 by arm 1. Where one wins the other loses, so luck does not cancel: the
 * variance of a group's difference is 4 p (1 - p), p = 606/1009. */
static void leads_are_taken_on_the_same_events(void **state)
{
    (void)state;
    sotto__yardstick *yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    double p = 606.0 / 1009;
    assert_near(sotto__log_value(&one), p, 1e-12);
    sotto_span lead = sotto__log_lead(&one, &other, EVENTS, 1);
    assert_near((lead.lo + lead.hi) / 2, 2 * p - 1, 1e-12);
    assert_near(lead.hi - lead.lo, 2 * 1.959964 * sqrt(4 * p * (1 - p) / 1008), 1e-7);
    sotto_span few = sotto__log_lead(&one, &other, 50, 1); /* so many groups have any */
    assert_near((few.hi - few.lo) / (lead.hi - lead.lo), sqrt(50.0 / 49 / (1009.0 / 1008)), 1e-12);
    sotto_span itself = sotto__log_lead(&one, &one, EVENTS, 1);
    assert_true(itself.lo == 0 && itself.hi == 0);
    sotto__yardstick_free(yardstick);
}

/* 0.05/10 of a normal lies beyond 2.807 on both sides. */
static void the_choice_of_an_arm_widens_them(void **state)
{
    (void)state;
    sotto__yardstick *yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    sotto_span single = sotto__log_lead(&one, &other, EVENTS, 1);
    sotto_span many = sotto__log_lead(&one, &other, EVENTS, 10);
    assert_near((many.hi - many.lo) / (single.hi - single.lo), 2.807034 / 1.959964, 1e-6);
    sotto__yardstick_free(yardstick);
}

/* Rewards that are all higher by the same move no lead: weights are normalised. */
static void evidence_of_seeds_is_joined(void **state)
{
    (void)state;
    static sotto__log_policy policy;
    policy = (sotto__log_policy){.effective_size = 100};
    sotto__evidence *evidence;
    assert_ok(sotto__evidence_new(2, 1, &evidence));
    const double x = 1;
    for (uint32_t i = 0; i < 100; i++) {
        const sotto__event event = {.row = i,
                                    .x = &x,
                                    .logged = i % 2,
                                    .given = 1,
                                    .reward = 7 + (i % 4 == 1),
                                    .propensity = 0.5};
        sotto__evidence_add(evidence, NULL, &event);
    }
    sotto__log_policy_add(&policy, evidence);
    sotto__log_policy_add(&policy, evidence);
    assert_near(sotto__log_value(&policy), 7.5, 1e-12);
    assert_true(policy.group[1].weight == 4 && policy.group[1].product == 32);
    assert_true(policy.group[0].weight == 0);
    sotto__evidence_free(evidence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_events_tell_nothing),
        cmocka_unit_test(leads_are_taken_on_the_same_events),
        cmocka_unit_test(the_choice_of_an_arm_widens_them),
        cmocka_unit_test(evidence_of_seeds_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
