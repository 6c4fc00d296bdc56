/* Verdicts: which test looks at what, and what each of them says of counts that are known. The laws are in
 * tests/statistical/test_watch.c. */
#include "populations.h"
#include "server/watch_chance.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define ALPHA 1e-6

static sotto__verdict verdict_of(const crowd *c)
{
    return sotto__learner_verdict(c->learner, ALPHA, 0);
}

static void no_report_is_no_alarm(void **state)
{
    (void)state;
    for (int t = 0; t < CROWD_TERMS; t++) {
        crowd c;
        crowd_begin(&c, (crowd_terms)t, 1);
        sotto__verdict verdict = sotto__learner_verdict(c.learner, ALPHA, 1);
        assert_int_equal(verdict.alarms, 0);
        assert_int_equal(verdict.reports, 0);
        for (int i = 0; i < SOTTO__WATCH_TESTS; i++) {
            assert_true(verdict.chance[i] == 1);
        }
        crowd_end(&c);
    }
}

static void a_learner_that_nobody_watches_still_counts_roles_arms_and_reports(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    sotto_learner *learner;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto_learning learning = sotto_learning_default(&terms, 1000);
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    learner->open[0].tally->count = 21;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 10).alarms, 1u << SOTTO__WATCH_COUNT);
    sotto_learner_free(learner);
}

static void the_count_is_beside_twice_what_the_owner_expects(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_LINE, 1);
    for (int i = 0; i < 40; i++) {
        crowd_honest(&c, CROWD_ZERO);
    }
    const uint32_t bit = 1u << SOTTO__WATCH_COUNT;
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 0).alarms & bit, 0);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 20).alarms & bit, 0);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, 19).alarms & bit, bit);
    assert_int_equal(sotto__learner_verdict(c.learner, ALPHA, UINT64_MAX).alarms & bit, 0);
    crowd_end(&c);
}

static void one_index_alone_is_an_alarm(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 1);
    tally_now(&c)->watch->index[5] = 60;
    sotto__verdict verdict = verdict_of(&c);
    assert_int_equal(verdict.alarms, 1u << SOTTO__WATCH_INDEX);
    /* 60 ln 64 beside 63 degrees of freedom, by the formula at the head of watch_chance.c. */
    double x = 60 * log(64);
    assert_near(log(verdict.chance[SOTTO__WATCH_INDEX]), 63 - x + 63 * log(x / 63), 1e-9);
    crowd_end(&c);
}

static void indices_on_a_line_are_not_looked_at(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_LINE, 1);
    tally_now(&c)->watch->index[5] = 1000;
    assert_int_equal(verdict_of(&c).alarms, 0);
    crowd_end(&c);
}

static void one_tag_alone_is_no_alarm(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_TAGS, 1);
    const sotto_codebook *codebook = &c.terms.codebook[SOTTO_PHASE_MAIN];
    assert_true(codebook->groups > 1);
    for (uint32_t i = 1; i < codebook->size; i += codebook->groups) {
        tally_now(&c)->watch->index[i] = 500;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
    crowd_end(&c);
}

static void a_tail_is_beside_the_most_that_scores_can_cause(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 1);
    sotto__watch *watch = tally_now(&c)->watch;
    const sotto_codebook *codebook = &c.terms.codebook[SOTTO_PHASE_MAIN];
    double top = (double)codebook->weight_top / (double)codebook->weight_rest;
    double factor =
        codebook->size / 2.0 * (top + 1) / (codebook->top * top + codebook->size - codebook->top);
    watch->aimed[1] = 100000;
    watch->tail[1][1] = (uint64_t)(factor * 1000); /* the mean of the most */
    assert_int_equal(verdict_of(&c).alarms, 0);
    watch->tail[1][1] = (uint64_t)(factor * 1000 * SOTTO__WATCH_MARGIN + 300); /* 8 sd more */
    assert_int_equal(verdict_of(&c).alarms, 1u << SOTTO__WATCH_TAIL);
    /* The least of as many chances as there are looks, times their number. */
    double one =
        sotto__chance_above(watch->tail[1][1], 100000, factor * SOTTO__WATCH_MARGIN * 0.01);
    double looks = SOTTO_PHASES * SOTTO__AIM_WAYS * SOTTO__AIM_LEVELS;
    assert_near(verdict_of(&c).chance[SOTTO__WATCH_TAIL] / one, looks, 1e-6);
    crowd_end(&c);
}

static void too_many_and_too_few_of_a_role_are_alarms(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 1);
    sotto_tally *tally = tally_now(&c);
    const uint32_t bit = 1u << SOTTO__WATCH_ROLES;
    tally->count = 9000, tally->measured = 1000;
    tally->follow.count = 500;
    for (uint32_t k = 0; k < 4; k++) {
        tally->control[k].count = 125;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
    tally->follow.count = 700, tally->measured = 1200;
    assert_int_equal(verdict_of(&c).alarms, bit);
    tally->follow.count = 350, tally->measured = 850;
    assert_int_equal(verdict_of(&c).alarms, bit);
    crowd_end(&c);
}

/* In an epoch whose model does not decide nobody follows it. */
static void who_follows_is_beside_those_who_could(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 1);
    sotto_tally *now = tally_now(&c), *before = tally_before(&c);
    before->decides = false, now->decides = true;
    now->count = 9000, now->measured = 1000, now->follow.count = 500;
    before->count = 9500, before->measured = 500;
    for (uint32_t k = 0; k < 4; k++) {
        now->control[k].count = before->control[k].count = 125;
    }
    assert_int_equal(verdict_of(&c).alarms, 0);
    assert_true(verdict_of(&c).chance[SOTTO__WATCH_ROLES] == 1);
    crowd_end(&c);
}

static void one_arm_alone_is_an_alarm_where_nonces_assign_it(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_WARM_UP, 1);
    sotto_tally *tally = tally_now(&c);
    tally->arm_count[2] = tally->count = 100;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) != 0);
    tally->phase = SOTTO_PHASE_MAIN; /* tags: people choose */
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) == 0);
    tally->control[1].count = tally->measured = 60;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_ARMS) != 0);
    crowd_end(&c);
}

/* Three people in four get arm 0. Where half have arm 1, nonces were chosen. */
static void arms_of_best_arm_are_beside_their_shares(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.method = SOTTO_METHOD_BEST_ARM, spec.score = SOTTO_SCORE_REWARD, spec.arms = 2;
    sotto_terms terms;
    sotto_learner *learner;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    const sotto_learning learning = sotto_learning_default(&terms, 1000);
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    sotto_tally *tally = learner->open[0].tally;
    tally->shares[0] = 3u << 30, tally->shares[1] = 1u << 30;
    tally->count = 1000, tally->arm_count[0] = 750, tally->arm_count[1] = 250;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 0).alarms, 0);
    tally->arm_count[0] = tally->arm_count[1] = 500;
    assert_int_equal(sotto__learner_verdict(learner, ALPHA, 0).alarms, 1u << SOTTO__WATCH_ARMS);
    sotto_learner_free(learner);
}

static void late_reports_are_looked_at_with_the_others(void **state)
{
    (void)state;
    crowd c;
    crowd_begin(&c, CROWD_SHARED, 1);
    for (uint32_t i = 0; i < 64; i++) {
        tally_now(&c)->watch->index[i] = 2;
    }
    tally_before(&c)->watch->index[5] = 100;
    assert_true((verdict_of(&c).alarms & 1u << SOTTO__WATCH_INDEX) != 0);
    crowd_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_report_is_no_alarm),
        cmocka_unit_test(a_learner_that_nobody_watches_still_counts_roles_arms_and_reports),
        cmocka_unit_test(the_count_is_beside_twice_what_the_owner_expects),
        cmocka_unit_test(one_index_alone_is_an_alarm),
        cmocka_unit_test(indices_on_a_line_are_not_looked_at),
        cmocka_unit_test(one_tag_alone_is_no_alarm),
        cmocka_unit_test(a_tail_is_beside_the_most_that_scores_can_cause),
        cmocka_unit_test(too_many_and_too_few_of_a_role_are_alarms),
        cmocka_unit_test(who_follows_is_beside_those_who_could),
        cmocka_unit_test(one_arm_alone_is_an_alarm_where_nonces_assign_it),
        cmocka_unit_test(arms_of_best_arm_are_beside_their_shares),
        cmocka_unit_test(late_reports_are_looked_at_with_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
