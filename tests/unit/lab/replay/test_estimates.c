/* Five estimates of one log: what cannot be estimated, and cases by hand. Coverage of intervals is
 * tested in tests/statistical/test_off_policy.c, estimates of a whole replay in test_whole.c. */
#include "lab/replay/inner.h"
#include "lab/replay/replay.h"
#include "test.h"

OWNED(sotto__yardstick, sotto__yardstick_free)
OWNED(sotto__evidence, sotto__evidence_free)
OWNED(sotto__reward_model, sotto__reward_model_free)

enum { EVENTS = 40, ARMS = 2, DIM = 1 };

typedef struct table {
    sotto_people people;
    double context[EVENTS], reward[EVENTS], propensity[EVENTS];
    uint32_t arm[EVENTS];
} table;

/* Arm 0 with chance 3/4, arm 1 with 1/4. */
static void fill(table *t)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        t->context[i] = 1;
        t->arm[i] = i % 4 == 0;
        t->reward[i] = i % 5 + t->arm[i];
        t->propensity[i] = i % 4 == 0 ? 0.25 : 0.75;
    }
    t->people = (sotto_people){DIM, EVENTS, EVENTS, t->context, t->arm, t->reward, t->propensity};
}

static sotto__reward_model *model_of(const table *t)
{
    sotto__reward_model *model;
    assert_ok(sotto__reward_model_new(ARMS, DIM, &model));
    sotto__reward_model_add(model, &t->people);
    assert_true(sotto__reward_model_solve(model));
    sotto__reward_model_score(model, &t->people);
    return model;
}

/* Everyone gets arm `given`; if `agree` is false, the log gave the other one. */
static sotto_replay_estimates estimates_of(const table *t, const sotto__reward_model *model,
                                           sotto_replay_unavailable unavailable, uint32_t given,
                                           bool agree)
{
    sotto__evidence *evidence;
    sotto_replay_estimates out = {0};
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    for (uint32_t i = 0; i < EVENTS; i++) {
        const sotto__event event = {
            .row = i,
            .x = t->context + i,
            .logged = agree ? t->arm[i] : 1 - given,
            .given = given,
            .reward = t->reward[i],
            .propensity = t->propensity[i],
            .learnt = agree && t->arm[i] == given,
        };
        sotto__evidence_add(evidence, model, &event);
    }
    assert_ok(sotto__estimates_of(evidence, model, unavailable, &out));
    sotto__evidence_free(evidence);
    return out;
}

static void assert_unavailable(const sotto_replay_estimate *e, sotto_replay_unavailable why)
{
    assert_int_equal(e->unavailable, why);
    assert_true(isnan(e->lo) && isnan(e->hi) && isnan(e->bootstrap_lo) && isnan(e->bootstrap_hi));
}

TEST(without_events_nothing_is_told)
{
    OWN(sotto__evidence) evidence;
    sotto_replay_estimates e;
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    assert_ok(sotto__estimates_of(evidence, NULL, SOTTO_UNAVAILABLE_FEW_EVENTS, &e));
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        bool model = i >= SOTTO_REPLAY_DIRECT;
        assert_true(isnan(e.by[i].value));
        assert_unavailable(&e.by[i],
                           model ? SOTTO_UNAVAILABLE_FEW_EVENTS : SOTTO_UNAVAILABLE_NO_MATCH);
    }
}

TEST(without_a_model_the_others_are_told)
{
    static table t;
    fill(&t);
    sotto_replay_estimates e = estimates_of(&t, NULL, SOTTO_UNAVAILABLE_PIPE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_DIRECT; i++) {
        assert_int_equal(e.by[i].unavailable, SOTTO_UNAVAILABLE_NONE);
        assert_true(e.by[i].lo < e.by[i].value && e.by[i].value < e.by[i].hi);
        assert_true(e.by[i].bootstrap_lo < e.by[i].value && e.by[i].value < e.by[i].bootstrap_hi);
    }
    for (uint32_t i = SOTTO_REPLAY_DIRECT; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_true(isnan(e.by[i].value));
        assert_unavailable(&e.by[i], SOTTO_UNAVAILABLE_PIPE);
    }
}

/* Only the model answers: doubly robust has its value, and no interval, because nothing checked
 * it. */
TEST(where_the_log_never_agrees_only_the_model_is_told)
{
    static table t;
    fill(&t);
    OWN(sotto__reward_model) model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 1, false);
    assert_true(isnan(e.by[SOTTO_REPLAY_BY_REPLAY].value));
    assert_true(isnan(e.by[SOTTO_REPLAY_SELF_NORMALISED].value));
    assert_true(e.by[SOTTO_REPLAY_BY_WEIGHTS].value == 0);
    assert_true(e.by[SOTTO_REPLAY_DOUBLY_ROBUST].value == e.by[SOTTO_REPLAY_DIRECT].value);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        if (i == SOTTO_REPLAY_DIRECT) continue;
        assert_unavailable(&e.by[i], SOTTO_UNAVAILABLE_NO_MATCH);
    }
    assert_int_equal(e.by[SOTTO_REPLAY_DIRECT].unavailable, SOTTO_UNAVAILABLE_NONE);
    assert_true(e.by[SOTTO_REPLAY_DIRECT].lo < e.by[SOTTO_REPLAY_DIRECT].hi);
}

/* Everyone has reward 1: only ips varies, with the number that agree. */
TEST(equal_rewards_have_no_interval)
{
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.reward[i] = 1;
    }
    OWN(sotto__reward_model) model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_near(e.by[i].value, 1, 1e-14);
        if (i == SOTTO_REPLAY_BY_WEIGHTS) continue;
        assert_unavailable(&e.by[i], SOTTO_UNAVAILABLE_SAME);
    }
    assert_int_equal(e.by[SOTTO_REPLAY_BY_WEIGHTS].unavailable, SOTTO_UNAVAILABLE_NONE);
}

TEST(huge_rewards_are_not_said_to_be_the_same)
{
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.reward[i] *= 1e300;
    }
    OWN(sotto__reward_model) model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_true(e.by[i].value > 1e299);
        assert_unavailable(&e.by[i], SOTTO_UNAVAILABLE_HUGE);
    }
}

/* Two matches: one resample in seven has none of them. */
TEST(with_two_matches_the_bootstrap_is_not_told)
{
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.arm[i] = i == 3 || i == 6;
    }
    sotto_replay_estimates e = estimates_of(&t, NULL, SOTTO_UNAVAILABLE_PIPE, 1, true);
    const sotto_replay_estimate *by = &e.by[SOTTO_REPLAY_SELF_NORMALISED];
    assert_int_equal(by->unavailable, SOTTO_UNAVAILABLE_FEW_MATCHES);
    assert_true(by->lo < by->hi && isnan(by->bootstrap_lo) && isnan(by->bootstrap_hi));
}

TEST(values_by_hand)
{
    static table t;
    fill(&t);
    OWN(sotto__reward_model) model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 0, true);
    double matched = 0, rewards = 0, weight = 0, direct = 0, corrected = 0;
    for (uint32_t i = 0; i < EVENTS; i++) {
        double q = sotto__reward_model_predict(model, i, t.context + i, 0);
        double w = t.arm[i] == 0 ? 4 / 3.0 : 0;
        matched += w > 0;
        rewards += w * t.reward[i];
        weight += w;
        direct += q / EVENTS;
        corrected += (q + w * (t.reward[i] - q)) / EVENTS;
    }
    assert_near(e.by[SOTTO_REPLAY_BY_REPLAY].value, 0.75 * rewards / matched, 1e-13);
    assert_near(e.by[SOTTO_REPLAY_BY_WEIGHTS].value, rewards / EVENTS, 1e-13);
    assert_near(e.by[SOTTO_REPLAY_SELF_NORMALISED].value, rewards / weight, 1e-13);
    assert_near(e.by[SOTTO_REPLAY_DIRECT].value, direct, 1e-13);
    assert_near(e.by[SOTTO_REPLAY_DOUBLY_ROBUST].value, corrected, 1e-13);
}

/* What all groups pull alike says nothing of how they differ. */
TEST(a_pull_that_all_groups_share_changes_nothing)
{
    static table t;
    fill(&t);
    OWN(sotto__reward_model) model = model_of(&t);
    sotto_replay_estimates before = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 0, true);
    for (uint32_t j = 0; j < EVENTS; j++) {
        model->score[j * ARMS * DIM] += 3;
    }
    sotto_replay_estimates after = estimates_of(&t, model, SOTTO_UNAVAILABLE_NONE, 0, true);
    const sotto_replay_estimate *b = &before.by[SOTTO_REPLAY_DIRECT];
    const sotto_replay_estimate *a = &after.by[SOTTO_REPLAY_DIRECT];
    assert_nears(1e-12, a->hi, b->hi, a->bootstrap_lo, b->bootstrap_lo);
    assert_near(a->bootstrap_hi, b->bootstrap_hi, 1e-12);
}

TEST(names_and_reasons_are_words)
{
    assert_string_equal(sotto_replay_estimator_name(SOTTO_REPLAY_DOUBLY_ROBUST), "doubly_robust");
    assert_null(sotto_replay_estimator_name(SOTTO_REPLAY_ESTIMATORS));
    assert_string_equal(sotto_replay_unavailable_text(SOTTO_UNAVAILABLE_NONE), "");
    for (uint32_t i = 1; i <= SOTTO_UNAVAILABLE_LARGE; i++) {
        const char *text = sotto_replay_unavailable_text((sotto_replay_unavailable)i);
        assert_memory_equal(text, "cannot tell: ", 13);
    }
    assert_string_equal(sotto_replay_unavailable_text((sotto_replay_unavailable)99), "");
}

/* The lead of a policy over another one on the same log, from events by hand. */

#define EVENTS_LOG_LEAD 2018u /* two in each group */

/* Two arms, each with half of the events, at propensity 0.5. The first event of a group has arm 0, the second arm
 * 1; of 10 groups arm 0 wins 6 and arm 1 wins 4. */
static sotto__yardstick *log_of_two(void)
{
    sotto__yardstick *yardstick;
    sotto_people *people;
    assert_ok(sotto__yardstick_new(2, 0.01, &yardstick));
    assert_ok(sotto__yardstick_keep_groups(yardstick));
    assert_ok(sotto_people_new(1, &people));
    people->rows = EVENTS_LOG_LEAD;
    for (uint32_t i = 0; i < EVENTS_LOG_LEAD; i++) {
        people->arm[i] = i >= SOTTO__GROUPS;
        people->propensity[i] = 0.5;
        uint32_t group = i % SOTTO__GROUPS;
        people->reward[i] = i < SOTTO__GROUPS ? group % 10 < 6 : group % 10 >= 6;
    }
    sotto__yardstick_add(yardstick, people);
    sotto_people_free(people);
    return yardstick;
}

TEST(few_events_tell_nothing)
{
    sotto__yardstick *yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    const double sizes[] = {0, SOTTO__AGREED_TELL - 0.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        one.effective_size = sizes[i];
        assert_true(isnan(sotto__log_lead(&one, &other, EVENTS_LOG_LEAD, 1).lo));
        assert_true(isnan(sotto__log_lead(&other, &one, EVENTS_LOG_LEAD, 1).hi));
    }
    sotto__yardstick_free(yardstick);
    one = (sotto__log_policy){0};
    assert_true(isnan(sotto__log_value(&one)));
}

/* Of 1009 groups, 606 are won by arm 0 and 403 by arm 1. Where one wins the other loses, so draw does not cancel: the
 * variance of a group's difference is 4 p (1 - p), p = 606/1009. */
TEST(leads_are_taken_on_the_same_events)
{
    OWN(sotto__yardstick) yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    double p = 606.0 / 1009;
    assert_near(sotto__log_value(&one), p, 1e-12);
    sotto_span lead = sotto__log_lead(&one, &other, EVENTS_LOG_LEAD, 1);
    assert_near((lead.lo + lead.hi) / 2, 2 * p - 1, 1e-12);
    assert_near(lead.hi - lead.lo, 2 * 1.959964 * sqrt(4 * p * (1 - p) / 1008), 1e-7);
    sotto_span few = sotto__log_lead(&one, &other, 50, 1); /* so many groups have any */
    assert_near((few.hi - few.lo) / (lead.hi - lead.lo), sqrt(50.0 / 49 / (1009.0 / 1008)), 1e-12);
    sotto_span itself = sotto__log_lead(&one, &one, EVENTS_LOG_LEAD, 1);
    assert_true(itself.lo == 0 && itself.hi == 0);
}

/* 0.05/10 of a normal lies beyond 2.807 on both sides. */
TEST(the_choice_of_an_arm_widens_them)
{
    OWN(sotto__yardstick) yardstick = log_of_two();
    static sotto__log_policy one, other;
    sotto__log_policy_of_arm(yardstick, 0, &one);
    sotto__log_policy_of_arm(yardstick, 1, &other);
    sotto_span single = sotto__log_lead(&one, &other, EVENTS_LOG_LEAD, 1);
    sotto_span many = sotto__log_lead(&one, &other, EVENTS_LOG_LEAD, 10);
    assert_near((many.hi - many.lo) / (single.hi - single.lo), 2.807034 / 1.959964, 1e-6);
}

/* Rewards that are all higher by the same move no lead: weights are normalised. */
TEST(evidence_of_seeds_is_joined)
{
    static sotto__log_policy policy;
    policy = (sotto__log_policy){.effective_size = 100};
    OWN(sotto__evidence) evidence;
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
}
