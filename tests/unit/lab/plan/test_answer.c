/* Answers before an experiment: what is refused, then each answer compared with the prediction. */
#include "lab/plan/inner.h"
#include "test.h"

#include <sotto/client.h>
#include <sotto/lab/plans.h>
#include <sotto/lab/runs.h>

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
    sotto_fault fault;
    if (sotto_plan_question_fault(question, &fault) == SOTTO_OK) fail_msg("%s: no fault", field);
    if (strstr(fault.sentence, field) == NULL || strstr(fault.sentence, allowed) == NULL) {
        fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", fault.sentence, field, allowed);
    }
    assert_status(sotto_plan_question_answer(question, &answers), SOTTO_E_FAULT);
}

TEST(questions_out_of_range_are_refused)
{
    const sotto_plan_question good = question_of(1000);
    sotto_plan_question bad;
    assert_ok(sotto_plan_question_fault(&good, NULL));
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
    BAD(shuffle_reports, UINT64_C(10000001), "shuffle_reports = 10000001", "0 to 10000000");
    BAD(match.player, SOTTO_PLAYER_OLS, "method = ols", "only sotto");
    BAD(match.spec.dim, 0, "dim = 0", "allowed 1");
    BAD(match.horizon, 0, "horizon = 0", "allowed");
    BAD(match.environment.kind, SOTTO_ENVIRONMENT_BALL, "environment = ball", "only sphere");
#undef BAD
}

TEST(the_last_epsilon_is_looked_at_too)
{
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

TEST(the_floor_is_that_of_the_match_and_of_whole_epsilons_only)
{
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

TEST(an_answer_is_what_the_prediction_says)
{
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
    assert_true(answer->end.regret == point[4].regret && answer->end.cost > 1);
    double best = plan.best_reward;
    assert_near(answer->share, point[4].regret / 25000 / best, 1e-15);
    assert_near(answer->chance_share, 1 - plan.chance_reward / best, 1e-15);
    assert_nears(1e-15, answer->target, 0.05 * best, answer->target_share, 0.05);
    assert_int_equal(answer->target_people, sotto_plan_people(&plan, answer->target));
    assert_int_equal(answer->within_people, sotto_plan_within(&plan, 0.03));
    assert_true(answer->target_days == 0 && answer->within_days == 0);
}

/* A horizon that is a power of ten, or below the first point, appears only once. */
TEST(the_horizon_is_the_last_point_and_there_once)
{
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

TEST(a_target_can_be_a_number_of_its_own)
{
    sotto_plan_question question = question_of(1000);
    question.target = 0.01;
    question.target_is_share = false;
    const sotto_plan_answer *answer = &answers_of(&question)->of[0];
    assert_true(answer->target == 0.01);
    assert_near(answer->target_share, 0.01 / answer->plan.best_reward, 1e-15);
    assert_int_equal(answer->target_people, sotto_plan_people(&answer->plan, 0.01));
}

TEST(days_are_whole_and_begun_ones_count)
{
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

TEST(what_nobody_lives_to_see_is_0)
{
    sotto_plan_question question = question_of(1000);
    question.epsilon[0] = 0.02;
    question.target = 1e-9;
    question.target_is_share = false;
    question.per_day = 1;
    const sotto_plan_answers *answers = answers_of(&question);
    assert_true(answers->of[0].target_people == 0 && answers->of[0].target_days == 0);
    assert_true(isnan(answers->half[0].people_ratio) && answers->half[0].regret_ratio >= 1);
}

TEST(without_people_at_half_there_is_no_ratio)
{
    sotto_plan_question question = question_of(1000);
    question.epsilon[0] = 0.1;
    const sotto_plan_answers *answers;
    do {
        question.target /= 1.5; /* until half of epsilon is too little */
        answers = answers_of(&question);
    } while (answers->half[0].answer.target_people > 0);
    assert_true(answers->of[0].target_people > 0 && isnan(answers->half[0].people_ratio));
}

TEST(what_is_chosen_is_that_of_the_spec)
{
    sotto_plan_question question = question_of(100000);
    const sotto_plan_answer *answer = &answers_of(&question)->of[0];
    assert_ints(answer->report_bytes, 42, answer->warm_up, 0);
    assert_true(answer->averaged);
    question.match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 100000);
    assert_false(answers_of(&question)->of[0].averaged); /* score self, 5 numbers */
    question.match = match_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 100000);
    answer = &answers_of(&question)->of[0];
    assert_int_equal(answer->warm_up, sotto_learning_default(&answer->plan.terms, 100000).warm_up);
    assert_true(answer->warm_up > 0);
}

/* The bounds are below. */
TEST(each_epsilon_is_checked_by_itself)
{
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

TEST(each_epsilon_and_its_half_are_answered_by_themselves)
{
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

TEST(the_budget_is_that_of_an_untouched_device)
{
    sotto_plan_question question = question_of(1000);
    const sotto_policy policy = sotto_policy_default();
    const sotto_plan_answers *answers = answers_of(&question);
    assert_true(answers->epsilon_per_report_max == policy.epsilon_per_report_max);
    assert_true(answers->epsilon_lifetime == policy.epsilon_lifetime);
}

/* ---- the curve ---------------------------------------------------------------------------- */

TEST(a_curve_goes_from_10_people_to_the_horizon)
{
    const uint64_t horizons[] = {11, 1000, 123456, SOTTO_HORIZON_MAX};
    for (size_t i = 0; i < 4; i++) {
        sotto_plan_point point[60];
        sotto_match match = match_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, horizons[i]);
        sotto_plan plan = plan_of(&match, 1);
        sotto_plan_curve(&plan, point, 60);
        assert_ints(point[0].people, 10, point[59].people, horizons[i]);
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

/* Which predictions count as checked: both sides of every bound of the grids in
 * tests/measure/plan.py. */

typedef struct world {
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind kind;
    double length;
    uint64_t horizon;
    uint32_t dim_max, arms_min;
} world;

/* The scenes of the script. */
static const world worlds[] = {
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, SOTTO_REWARD_BINARY, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG, SOTTO_REWARD_COUNT, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 0.5, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 1, 20000, 20, 3},
};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static sotto_match match_of_checked(const world *w)
{
    const sotto_scene scene = {
        .dim = 10,
        .arms = 5,
        .parameters = w->parameters,
        .link = w->link,
        .reward_kind = w->kind,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = w->horizon,
    };
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    match.spec.theta_norm_max = match.environment.theta_norm = w->length;
    return match;
}

/* Asserts whether a match is checked, with another value in `field`. */
#define ASSERT_CHECKED(wanted, world, field, value)                                                \
    do {                                                                                           \
        sotto_match changed = match_of_checked(world);                                             \
        changed.field = (value);                                                                   \
        if (sotto__plan_was_checked(&changed) != (wanted)) {                                       \
            fail_msg("world %d, %s = %g", (int)((world)-worlds), #field, (double)(value));         \
        }                                                                                          \
    } while (0)

TEST(sizes_have_two_bounds)
{
    for (const world *w = worlds; w < worlds + WORLDS; w++) {
        ASSERT_CHECKED(true, w, spec.epsilon, 1.0);
        ASSERT_CHECKED(false, w, spec.dim, 1u);
        ASSERT_CHECKED(false, w, spec.dim, 4u);
        ASSERT_CHECKED(true, w, spec.dim, 5u);
        ASSERT_CHECKED(true, w, spec.dim, w->dim_max);
        ASSERT_CHECKED(false, w, spec.dim, w->dim_max + 1);
        ASSERT_CHECKED(true, w, spec.arms, w->arms_min);
        ASSERT_CHECKED(false, w, spec.arms, w->arms_min - 1);
        ASSERT_CHECKED(true, w, spec.arms, 20u);
        ASSERT_CHECKED(false, w, spec.arms, 21u);
        ASSERT_CHECKED(false, w, spec.epsilon, 0.499);
        ASSERT_CHECKED(true, w, spec.epsilon, 0.5);
        ASSERT_CHECKED(true, w, spec.epsilon, 5.0);
        ASSERT_CHECKED(false, w, spec.epsilon, 5.001);
    }
}

/* For these settings a single value was played. */
/* 1.5 (hi - lo) B_1 sqrt(2 K/N). */
TEST(the_lead_that_best_arm_finds_grows_with_the_range_and_falls_with_people)
{
    sotto_plan_question question = question_of(1000);
    const double lead = answers_of(&question)->of[0].best_arm_lead;
    const double scale =
        lead / (1.5 * (question.match.spec.reward_hi - question.match.spec.reward_lo));
    assert_true(scale > sqrt(2.0 * 3 / 1000)); /* noise */
    question = question_of(4000);
    assert_near(answers_of(&question)->of[0].best_arm_lead, lead / 2, 1e-12);
    question = question_of(1000);
    question.match.spec.reward_lo = -6, question.match.spec.reward_hi = 3;
    assert_near(answers_of(&question)->of[0].best_arm_lead, 1.5 * 9 * scale, 1e-12);
}

TEST(what_was_played_once_is_checked_there)
{
    for (const world *w = worlds; w < worlds + WORLDS; w++) {
        sotto_match plain = match_of_checked(w);
        bool noisy = w->kind == SOTTO_REWARD_CONTINUOUS;
        ASSERT_CHECKED(false, w, horizon, w->horizon - 1);
        ASSERT_CHECKED(true, w, horizon, w->horizon);
        ASSERT_CHECKED(false, w, horizon, w->horizon + 1);
        ASSERT_CHECKED(false, w, horizon, w->horizon == 20000 ? 100000u : 20000u);
        ASSERT_CHECKED(true, w, environment.noise, 0.1);
        ASSERT_CHECKED(!noisy, w, environment.noise, 0.099); /* others have no noise of their own */
        ASSERT_CHECKED(!noisy, w, environment.noise, 0.101);
        ASSERT_CHECKED(false, w, spec.theta_norm_max, w->length * 0.99);
        ASSERT_CHECKED(false, w, spec.theta_norm_max, w->length * 1.01);
        ASSERT_CHECKED(false, w, spec.reward_lo, plain.spec.reward_lo - 0.1);
        ASSERT_CHECKED(false, w, spec.reward_hi, plain.spec.reward_hi + 0.1);
        ASSERT_CHECKED(false, w, spec.score, SOTTO_SCORE_HUBER);
        ASSERT_CHECKED(false, w, spec.measure, 1u << 30);
        ASSERT_CHECKED(false, w, spec.reward_rate, 0.1);
    }
}

/* All of parameters, links and kinds of reward, and only the six that were played. */
TEST(rewards_of_other_kinds_were_not_played)
{
    const sotto_reward_kind kinds[] = {SOTTO_REWARD_CONTINUOUS, SOTTO_REWARD_BINARY,
                                       SOTTO_REWARD_COUNT};
    int checked = 0;
    for (uint32_t i = 0; i < 2 * 4 * 3 * 2 * 2; i++) {
        world w = {.parameters = (sotto_parameters)(i % 2),
                   .link = (sotto_link)(i / 2 % 4),
                   .kind = kinds[i / 8 % 3],
                   .length = i / 24 % 2 ? 0.5 : 1,
                   .horizon = i / 48 ? 20000 : 100000};
        sotto_match match = match_of_checked(&w);
        checked += sotto__plan_was_checked(&match);
    }
    assert_int_equal(checked, WORLDS);
}
