/* Five estimates of one log: what cannot be told, and cases by hand. That intervals cover is in
 * tests/statistical/test_off_policy.c, estimates of a whole replay in test_whole.c. */
#include "lab/replay/estimates.h"
#include "test.h"

#include <math.h>
#include <string.h>

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

/* Everybody gets arm `given`; with `agree` false, the log is said to have given the other one. */
static sotto_replay_estimates estimates_of(const table *t, const sotto__reward_model *model,
                                           sotto_replay_untold untold, uint32_t given, bool agree)
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
    assert_ok(sotto__estimates_of(evidence, model, untold, &out));
    sotto__evidence_free(evidence);
    return out;
}

static void assert_untold(const sotto_replay_estimate *e, sotto_replay_untold why)
{
    assert_int_equal(e->untold, why);
    assert_true(isnan(e->lo) && isnan(e->hi));
    assert_true(isnan(e->bootstrap_lo) && isnan(e->bootstrap_hi));
}

static void without_events_nothing_is_told(void **state)
{
    (void)state;
    sotto__evidence *evidence;
    sotto_replay_estimates e;
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    assert_ok(sotto__estimates_of(evidence, NULL, SOTTO_UNTOLD_FEW_EVENTS, &e));
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        bool model = i >= SOTTO_REPLAY_DIRECT;
        assert_true(isnan(e.by[i].value));
        assert_untold(&e.by[i], model ? SOTTO_UNTOLD_FEW_EVENTS : SOTTO_UNTOLD_NO_MATCH);
    }
    sotto__evidence_free(evidence);
}

static void without_a_model_the_others_are_told(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    sotto_replay_estimates e = estimates_of(&t, NULL, SOTTO_UNTOLD_PIPE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_DIRECT; i++) {
        assert_int_equal(e.by[i].untold, SOTTO_UNTOLD_NONE);
        assert_true(e.by[i].lo < e.by[i].value && e.by[i].value < e.by[i].hi);
        assert_true(e.by[i].bootstrap_lo < e.by[i].value);
        assert_true(e.by[i].value < e.by[i].bootstrap_hi);
    }
    for (uint32_t i = SOTTO_REPLAY_DIRECT; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_true(isnan(e.by[i].value));
        assert_untold(&e.by[i], SOTTO_UNTOLD_PIPE);
    }
}

/* The model answers alone: doubly robust has its value, and no interval, because nothing checked it. */
static void where_the_log_never_agrees_only_the_model_is_told(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    sotto__reward_model *model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 1, false);
    assert_true(isnan(e.by[SOTTO_REPLAY_BY_REPLAY].value));
    assert_true(isnan(e.by[SOTTO_REPLAY_SELF_NORMALISED].value));
    assert_true(e.by[SOTTO_REPLAY_BY_WEIGHTS].value == 0);
    assert_true(e.by[SOTTO_REPLAY_DOUBLY_ROBUST].value == e.by[SOTTO_REPLAY_DIRECT].value);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        if (i == SOTTO_REPLAY_DIRECT) continue;
        assert_untold(&e.by[i], SOTTO_UNTOLD_NO_MATCH);
    }
    assert_int_equal(e.by[SOTTO_REPLAY_DIRECT].untold, SOTTO_UNTOLD_NONE);
    assert_true(e.by[SOTTO_REPLAY_DIRECT].lo < e.by[SOTTO_REPLAY_DIRECT].hi);
    sotto__reward_model_free(model);
}

/* Rewards of 1 for everybody: only ips varies, by how many agree. */
static void equal_rewards_have_no_interval(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.reward[i] = 1;
    }
    sotto__reward_model *model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_near(e.by[i].value, 1, 1e-14);
        if (i == SOTTO_REPLAY_BY_WEIGHTS) continue;
        assert_untold(&e.by[i], SOTTO_UNTOLD_SAME);
    }
    assert_int_equal(e.by[SOTTO_REPLAY_BY_WEIGHTS].untold, SOTTO_UNTOLD_NONE);
    sotto__reward_model_free(model);
}

static void huge_rewards_are_not_said_to_be_the_same(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.reward[i] *= 1e300;
    }
    sotto__reward_model *model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 0, true);
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_true(e.by[i].value > 1e299);
        assert_untold(&e.by[i], SOTTO_UNTOLD_HUGE);
    }
    sotto__reward_model_free(model);
}

/* Two matches: one resample in seven has none of them. */
static void with_two_matches_the_bootstrap_is_not_told(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    for (uint32_t i = 0; i < EVENTS; i++) {
        t.arm[i] = i == 3 || i == 6;
    }
    sotto_replay_estimates e = estimates_of(&t, NULL, SOTTO_UNTOLD_PIPE, 1, true);
    const sotto_replay_estimate *by = &e.by[SOTTO_REPLAY_SELF_NORMALISED];
    assert_int_equal(by->untold, SOTTO_UNTOLD_FEW_MATCHES);
    assert_true(by->lo < by->hi && isnan(by->bootstrap_lo) && isnan(by->bootstrap_hi));
}

static void values_by_hand(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    sotto__reward_model *model = model_of(&t);
    sotto_replay_estimates e = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 0, true);
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
    sotto__reward_model_free(model);
}

/* What all groups pull alike says nothing of how they differ. */
static void a_pull_that_all_groups_share_changes_nothing(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    sotto__reward_model *model = model_of(&t);
    sotto_replay_estimates before = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 0, true);
    for (uint32_t j = 0; j < EVENTS; j++) {
        model->score[j * ARMS * DIM] += 3;
    }
    sotto_replay_estimates after = estimates_of(&t, model, SOTTO_UNTOLD_NONE, 0, true);
    const sotto_replay_estimate *b = &before.by[SOTTO_REPLAY_DIRECT];
    const sotto_replay_estimate *a = &after.by[SOTTO_REPLAY_DIRECT];
    assert_near(a->hi, b->hi, 1e-12);
    assert_near(a->bootstrap_lo, b->bootstrap_lo, 1e-12);
    assert_near(a->bootstrap_hi, b->bootstrap_hi, 1e-12);
    sotto__reward_model_free(model);
}

static void names_and_reasons_are_words(void **state)
{
    (void)state;
    assert_string_equal(sotto_replay_estimator_name(SOTTO_REPLAY_DOUBLY_ROBUST), "doubly_robust");
    assert_null(sotto_replay_estimator_name(SOTTO_REPLAY_ESTIMATORS));
    assert_string_equal(sotto_replay_untold_text(SOTTO_UNTOLD_NONE), "");
    for (uint32_t i = 1; i <= SOTTO_UNTOLD_LARGE; i++) {
        const char *text = sotto_replay_untold_text((sotto_replay_untold)i);
        assert_memory_equal(text, "cannot tell: ", 13);
    }
    assert_string_equal(sotto_replay_untold_text((sotto_replay_untold)99), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_events_nothing_is_told),
        cmocka_unit_test(without_a_model_the_others_are_told),
        cmocka_unit_test(where_the_log_never_agrees_only_the_model_is_told),
        cmocka_unit_test(equal_rewards_have_no_interval),
        cmocka_unit_test(huge_rewards_are_not_said_to_be_the_same),
        cmocka_unit_test(with_two_matches_the_bootstrap_is_not_told),
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(a_pull_that_all_groups_share_changes_nothing),
        cmocka_unit_test(names_and_reasons_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
