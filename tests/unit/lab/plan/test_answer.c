/* Answers before an experiment: what is refused, then each answer against the prediction. */
#include "test.h"

#include <sotto/client.h>
#include <sotto/lab/plans.h>

#include <math.h>
#include <string.h>

static sotto_match match_of(sotto_parameters parameters, sotto_link link, uint64_t horizon)
{
    sotto_scene scene = {
        .dim = 5,
        .arms = 3,
        .parameters = parameters,
        .link = link,
        .reward_kind = sotto_link_reward_kind(link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = horizon,
    };
    return sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
}

static sotto_plan_question question_of(uint64_t horizon)
{
    sotto_match match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, horizon);
    return sotto_plan_question_default(&match);
}

static const sotto_plan_answers *answers_of(const sotto_plan_question *question)
{
    static sotto_plan_answers answers;
    memset(&answers, 0xa5, sizeof answers); /* every field is to be set */
    assert_ok(sotto_plan_question_answer(question, &answers));
    return &answers;
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void assert_refused(const sotto_plan_question *question, const char *field,
                           const char *allowed)
{
    static sotto_plan_answers answers;
    char text[SOTTO_FAULT_BYTES] = "";
    if (sotto_plan_question_fault(question, text) != text) fail_msg("%s: no fault", field);
    if (strstr(text, field) == NULL || strstr(text, allowed) == NULL) {
        fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", text, field, allowed);
    }
    assert_status(sotto_plan_question_answer(question, &answers), SOTTO_E_FAULT);
}

static void questions_out_of_range_are_refused(void **state)
{
    (void)state;
    const sotto_plan_question good = question_of(1000);
    sotto_plan_question bad;
    char text[SOTTO_FAULT_BYTES];
    assert_null(sotto_plan_question_fault(&good, text));
#define BAD(field, value, words, allowed)                                                          \
    bad = good, bad.field = (value);                                                               \
    assert_refused(&bad, words, allowed)
    BAD(epsilons_count, 0, "epsilons_count = 0", "1 to 8");
    BAD(epsilons_count, 9, "epsilons_count = 9", "1 to 8");
    BAD(epsilon[0], 9, "epsilon = 9", "8");
    BAD(epsilon[0], 0.009, "epsilon = 0.009", "0.01");
    BAD(epsilon[0], NAN, "epsilon = nan", "0.01");
    BAD(target, 0, "target = 0", "1e-9 to 1e6");
    BAD(target, NAN, "target = nan", "1e-9 to 1e6");
    BAD(target, 1e7, "target = 10000000", "1e-9 to 1e6");
    BAD(within_percent, 0, "within_percent = 0", "0.01 to 99");
    BAD(within_percent, 100, "within_percent = 100", "0.01 to 99");
    BAD(within_percent, NAN, "within_percent = nan", "0.01 to 99");
    BAD(per_day, UINT64_C(1000000000001), "per_day = 1000000000001", "0 to 1000000000000");
    BAD(match.player, SOTTO_PLAYER_OLS, "method = ols", "only sotto");
    BAD(match.spec.dim, 0, "dim = 0", "allowed 1");
    BAD(match.horizon, 0, "horizon = 0", "allowed");
    BAD(match.environment.kind, SOTTO_ENVIRONMENT_BALL, "environment = ball", "only sphere");
#undef BAD
}

static void the_last_epsilon_is_looked_at_too(void **state)
{
    (void)state;
    sotto_plan_question bad = question_of(1000);
    bad.epsilons_count = 3;
    bad.epsilon[1] = 2;
    bad.epsilon[2] = 8.5;
    assert_refused(&bad, "epsilon = 8.5", "8");
}

/* ---- one epsilon -------------------------------------------------------------------------- */

static sotto_plan plan_of(const sotto_match *match, double epsilon)
{
    sotto_match own = *match;
    sotto_plan plan;
    own.spec.epsilon = epsilon;
    assert_ok(sotto_match_set_learning(&own));
    own.learning.epoch = 0;
    assert_ok(sotto_plan_make(&own, &plan));
    return plan;
}

static void the_floor_is_that_of_the_match_and_of_whole_epsilons_only(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(25000);
    question.epsilon[0] = 2;
    const sotto_plan_answers *answers = answers_of(&question);
    const sotto_plan_answer *answer = &answers->of[0], *half = &answers->half[0].answer;
    sotto_floor floor;
    assert_ok(sotto_floor_of(&answer->plan.match, &floor));
    assert_true(answer->floor.proved == floor.proved && answer->floor.start == floor.start);
    assert_true(answer->floor.local == floor.local);
    assert_true(answer->floor_times == answer->end.regret / floor.start);
    assert_true(isnan(half->floor.proved) && isnan(half->floor.local));
    assert_true(isnan(half->floor.start) && isnan(half->floor_times));
}

static void an_answer_is_what_the_prediction_says(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(25000);
    question.epsilon[0] = 2;
    question.within_percent = 3;
    const sotto_plan_answer *answer = &answers_of(&question)->of[0];
    sotto_plan plan = plan_of(&question.match, 2);
    sotto_plan_point point[] = {
        {.people = 10}, {.people = 100}, {.people = 1000}, {.people = 10000}, {.people = 25000}};
    sotto_plan_predict(&plan, point, 5);
    assert_int_equal(answer->points_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(answer->point[i].people, point[i].people);
        assert_true(answer->point[i].regret == point[i].regret);
        assert_true(point[i].regret_per_person == point[i].regret / (double)point[i].people);
        assert_true(point[i].cost == point[i].regret / point[i].open_regret);
    }
    assert_int_equal(answer->end.people, 25000);
    assert_true(answer->end.regret == point[4].regret);
    assert_true(answer->end.cost > 1);
    double best = plan.best_reward;
    assert_near(answer->share, point[4].regret / 25000 / best, 1e-15);
    assert_near(answer->chance_share, 1 - plan.chance_reward / best, 1e-15);
    assert_near(answer->target, 0.05 * best, 1e-15);
    assert_near(answer->target_share, 0.05, 1e-15);
    assert_int_equal(answer->target_people, sotto_plan_people(&plan, answer->target));
    assert_int_equal(answer->within_people, sotto_plan_within(&plan, 0.03));
    assert_true(answer->target_days == 0 && answer->within_days == 0);
}

/* A horizon that is a power of ten, or below the first point, is there once. */
static void the_horizon_is_the_last_point_and_there_once(void **state)
{
    (void)state;
    const uint64_t horizons[] = {1, 9, 10, 11, 1000, SOTTO_HORIZON_MAX};
    const uint32_t counts[] = {1, 1, 1, 2, 3, 12};
    for (size_t i = 0; i < 6; i++) {
        sotto_plan_question question = question_of(horizons[i]);
        const sotto_plan_answer *answer = &answers_of(&question)->of[0];
        assert_int_equal(answer->points_count, counts[i]);
        assert_int_equal(answer->point[answer->points_count - 1].people, horizons[i]);
        for (uint32_t at = 1; at < answer->points_count; at++) {
            assert_true(answer->point[at - 1].people < answer->point[at].people);
        }
    }
}

static void a_target_can_be_a_number_of_its_own(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(1000);
    question.target = 0.01;
    question.target_is_share = false;
    const sotto_plan_answer *answer = &answers_of(&question)->of[0];
    assert_true(answer->target == 0.01);
    assert_near(answer->target_share, 0.01 / answer->plan.best_reward, 1e-15);
    assert_int_equal(answer->target_people, sotto_plan_people(&answer->plan, 0.01));
}

static void days_are_whole_and_begun_ones_count(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(1000);
    uint64_t people = answers_of(&question)->of[0].target_people;
    assert_true(people > 10);
    const uint64_t per_day[] = {1, people - 1, people, people + 1, 1000000000000};
    const uint64_t days[] = {people, 2, 1, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        question.per_day = per_day[i];
        const sotto_plan_answers *answers = answers_of(&question);
        uint64_t half_people = answers->half[0].answer.target_people;
        assert_int_equal(answers->of[0].target_days, days[i]);
        assert_int_equal(answers->half[0].answer.target_days,
                         (half_people + per_day[i] - 1) / per_day[i]);
    }
}

static void what_nobody_lives_to_see_is_0(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(1000);
    question.epsilon[0] = 0.02;
    question.target = 1e-9;
    question.target_is_share = false;
    question.per_day = 1;
    const sotto_plan_answers *answers = answers_of(&question);
    assert_true(answers->of[0].target_people == 0 && answers->of[0].target_days == 0);
    assert_true(isnan(answers->half[0].people_ratio));
    assert_true(answers->half[0].regret_ratio >= 1);
}

static void without_people_at_half_there_is_no_ratio(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(1000);
    question.epsilon[0] = 0.1;
    const sotto_plan_answers *answers;
    do {
        question.target /= 1.5; /* until half of epsilon is too little */
        answers = answers_of(&question);
    } while (answers->half[0].answer.target_people > 0);
    assert_true(answers->of[0].target_people > 0);
    assert_true(isnan(answers->half[0].people_ratio));
}

static void what_is_chosen_is_that_of_the_spec(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(100000);
    const sotto_plan_answer *answer = &answers_of(&question)->of[0];
    assert_int_equal(answer->report_bytes, 42);
    assert_int_equal(answer->warm_up, 0);
    assert_true(answer->averaged);
    question.match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 100000);
    assert_false(answers_of(&question)->of[0].averaged); /* score self, 5 numbers */
    question.match = match_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 100000);
    answer = &answers_of(&question)->of[0];
    assert_int_equal(answer->warm_up, sotto_learning_default(&answer->plan.terms, 100000).warm_up);
    assert_true(answer->warm_up > 0);
}

/* test_checked.c has the bounds. */
static void each_epsilon_is_checked_by_itself(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(100000);
    question.epsilons_count = 4;
    const double epsilon[] = {0.49, 0.5, 5, 5.1};
    memcpy(question.epsilon, epsilon, sizeof epsilon);
    const sotto_plan_answers *answers = answers_of(&question);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(answers->of[i].checked, i == 1 || i == 2);
    }
    assert_false(answers->half[1].answer.checked);
    assert_true(answers->half[2].answer.checked);
    question.match.horizon = 100001;
    assert_false(answers_of(&question)->of[1].checked);
}

/* ---- several, and halves ------------------------------------------------------------------ */

static void each_epsilon_and_its_half_are_answered_by_themselves(void **state)
{
    (void)state;
    static sotto_plan_answers both;
    sotto_plan_question question = question_of(5000);
    question.epsilons_count = 3;
    question.epsilon[0] = 2;
    question.epsilon[1] = 0.0199;
    question.epsilon[2] = 1;
    both = *answers_of(&question);
    assert_int_equal(both.count, 3);
    assert_true(both.half[0].there && !both.half[1].there && both.half[2].there);
    assert_true(both.half[0].answer.end.regret == both.of[2].end.regret);
    assert_int_equal(both.half[0].answer.target_people, both.of[2].target_people);
    assert_true(both.half[0].answer.plan.match.spec.epsilon == 1);
    assert_near(both.half[0].regret_ratio, both.of[2].end.regret / both.of[0].end.regret, 1e-15);
    assert_near(both.half[0].people_ratio,
                (double)both.of[2].target_people / (double)both.of[0].target_people, 1e-12);
    question.epsilons_count = 1;
    question.epsilon[0] = 1;
    assert_true(answers_of(&question)->of[0].end.regret == both.of[2].end.regret);
    question.epsilon[0] = 0.02; /* half of it is the smallest epsilon */
    assert_true(answers_of(&question)->half[0].there);
}

static void the_budget_is_that_of_an_untouched_device(void **state)
{
    (void)state;
    sotto_plan_question question = question_of(1000);
    const sotto_policy policy = sotto_policy_default();
    const sotto_plan_answers *answers = answers_of(&question);
    assert_true(answers->epsilon_per_report_max == policy.epsilon_per_report_max);
    assert_true(answers->epsilon_lifetime == policy.epsilon_lifetime);
}

/* ---- the curve ---------------------------------------------------------------------------- */

static void a_curve_goes_from_10_people_to_the_horizon(void **state)
{
    (void)state;
    const uint64_t horizons[] = {11, 1000, 123456, SOTTO_HORIZON_MAX};
    for (size_t i = 0; i < 4; i++) {
        sotto_plan_point point[60];
        sotto_match match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, horizons[i]);
        sotto_plan plan = plan_of(&match, 1);
        sotto_plan_curve(&plan, point, 60);
        assert_int_equal(point[0].people, 10);
        assert_int_equal(point[59].people, horizons[i]);
        for (uint32_t x = 1; x < 60; x++) {
            assert_true(point[x].people >= point[x - 1].people);
            assert_true(point[x].regret >= point[x - 1].regret);
        }
        double middle = sqrt(10 * (double)horizons[i]); /* of 59 steps: between two points */
        assert_true((double)point[29].people <= middle + 1 &&
                    (double)point[30].people >= middle - 1);
    }
    sotto_plan_point two[2];
    sotto_match match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 77);
    sotto_plan plan = plan_of(&match, 1);
    sotto_plan_curve(&plan, two, 2);
    assert_true(two[0].people == 10 && two[1].people == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_out_of_range_are_refused),
        cmocka_unit_test(the_last_epsilon_is_looked_at_too),
        cmocka_unit_test(the_floor_is_that_of_the_match_and_of_whole_epsilons_only),
        cmocka_unit_test(an_answer_is_what_the_prediction_says),
        cmocka_unit_test(the_horizon_is_the_last_point_and_there_once),
        cmocka_unit_test(a_target_can_be_a_number_of_its_own),
        cmocka_unit_test(days_are_whole_and_begun_ones_count),
        cmocka_unit_test(what_nobody_lives_to_see_is_0),
        cmocka_unit_test(without_people_at_half_there_is_no_ratio),
        cmocka_unit_test(what_is_chosen_is_that_of_the_spec),
        cmocka_unit_test(each_epsilon_is_checked_by_itself),
        cmocka_unit_test(each_epsilon_and_its_half_are_answered_by_themselves),
        cmocka_unit_test(the_budget_is_that_of_an_untouched_device),
        cmocka_unit_test(a_curve_goes_from_10_people_to_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
