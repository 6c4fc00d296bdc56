/* How a method compares with one arm for all, from intervals by hand. */
#include "replay_scene.h"

static const sotto_span none = {NAN, NAN}, above = {0.01, 0.2}, below = {-0.2, -0.01},
                        around = {-0.1, 0.1};

TEST(what_is_not_a_number_is_no_difference)
{
    const sotto_estimate known = {0.5, 0.4, 0.6}, unknown = {NAN, NAN, NAN};
    assert_int_equal(sotto__verdict_on_labels(none, none, none), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_int_equal(sotto__verdict_on_log(none, none, unknown, known), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_int_equal(sotto__verdict_on_log(none, none, known, unknown), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_false(sotto__says_nothing(NAN, NAN, around));
}

/* Mean 2; the standard deviation of 1, 2, 3 is 1. */
TEST(a_span_is_three_standard_errors_to_both_sides)
{
    const double number[] = {1, 2, 3};
    sotto_span span = sotto__span_of(number, 3);
    assert_nears(1e-12, span.lo, 2 - 3 / sqrt(3), span.hi, 2 + 3 / sqrt(3));
    assert_true(isnan(sotto__span_of(number, 1).lo));
}

/* Both must be beaten; a method behind best-arm is worse than one arm for all, whatever hindsight
 * says. */
TEST(labels_are_judged_by_both_then_by_chance)
{
    const struct {
        sotto_span ahead, best_arm, chance;
        sotto_replay_verdict verdict;
    } wanted[] = {
        {above, above, {0.1, 0.3}, SOTTO_VERDICT_ABOVE_ONE_ARM},
        {above, none, {0.1, 0.3}, SOTTO_VERDICT_ABOVE_ONE_ARM},
        {above, {0, 0.1}, {0.1, 0.3}, SOTTO_VERDICT_LIKE_ONE_ARM},
        {above, below, {0.1, 0.3}, SOTTO_VERDICT_BELOW_ONE_ARM},
        {{0, 0.2}, above, {0.1, 0.3}, SOTTO_VERDICT_LIKE_ONE_ARM},
        {around, above, {0.1, 0.3}, SOTTO_VERDICT_LIKE_ONE_ARM},
        {around, below, {0.1, 0.3}, SOTTO_VERDICT_BELOW_ONE_ARM},
        {below, below, {-0.01, 0.02}, SOTTO_VERDICT_BELOW_ONE_ARM},
        {below, none, {0.1, 0.3}, SOTTO_VERDICT_BELOW_ONE_ARM},
        {below, around, {0.1, 0.3}, SOTTO_VERDICT_BELOW_HINDSIGHT},
        {below, above, {0.1, 0.3}, SOTTO_VERDICT_BELOW_HINDSIGHT},
        {below, around, {-0.01, 0.02}, SOTTO_VERDICT_CHANCE},
        {around, around, {0, 0.049}, SOTTO_VERDICT_CHANCE},
        {around, around, {-0.01, 0.05}, SOTTO_VERDICT_LIKE_ONE_ARM},   /* it may be far above */
        {below, around, {0.001, 0.02}, SOTTO_VERDICT_BELOW_HINDSIGHT}, /* and here it is above */
        {below, around, {-0.2, -0.1}, SOTTO_VERDICT_BELOW_HINDSIGHT},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_verdict got =
            sotto__verdict_on_labels(wanted[i].ahead, wanted[i].best_arm, wanted[i].chance);
        if (got != wanted[i].verdict) fail_msg("row %zu: %d", i, (int)got);
    }
}

/* Beating the logging policy is not enough. */
TEST(logs_are_judged_by_one_arm_before_the_log_itself)
{
    const sotto_estimate low = {0.2, 0.1, 0.3}, high = {0.7, 0.6, 0.8};
    const struct {
        sotto_span ahead, best_arm;
        sotto_estimate method, logging;
        sotto_replay_verdict verdict;
    } wanted[] = {
        {above, above, high, low, SOTTO_VERDICT_ABOVE_ONE_ARM},
        {above, above, low, high, SOTTO_VERDICT_ABOVE_ONE_ARM},
        {above, around, high, low, SOTTO_VERDICT_ABOVE_LOGGING},
        {around, none, high, low, SOTTO_VERDICT_ABOVE_LOGGING},
        {none, none, high, low, SOTTO_VERDICT_ABOVE_LOGGING},
        {below, none, high, low, SOTTO_VERDICT_BELOW_ONE_ARM},
        {around, below, high, low, SOTTO_VERDICT_BELOW_ONE_ARM},
        {below, around, high, low, SOTTO_VERDICT_BELOW_HINDSIGHT},
        {around, around, low, low, SOTTO_VERDICT_LIKE_ONE_ARM},
        {around, around, low, high, SOTTO_VERDICT_LIKE_ONE_ARM},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_verdict got = sotto__verdict_on_log(wanted[i].ahead, wanted[i].best_arm,
                                                         wanted[i].method, wanted[i].logging);
        if (got != wanted[i].verdict) fail_msg("row %zu: %d", i, (int)got);
    }
}

TEST(an_interval_that_holds_everything_says_nothing)
{
    const sotto_span range = {0, 1};
    assert_true(sotto__says_nothing(-0.7, 2, range) && sotto__says_nothing(0, 1, range));
    assert_false(sotto__says_nothing(0.01, 2, range) || sotto__says_nothing(-0.7, 0.99, range));
}

/* The words that programs read in CSV and JSON; the longest fits. */
TEST(each_verdict_has_its_sentence)
{
    static const char *const wanted[] = {
        [SOTTO_VERDICT_NONE] = "",
        [SOTTO_VERDICT_FEW_PEOPLE] = "fewer people came than were announced",
        [SOTTO_VERDICT_SORTED] = "the file seems sorted",
        [SOTTO_VERDICT_FEW_SEEDS] = "too few seeds to tell",
        [SOTTO_VERDICT_ONE_LOGGED] = "the log gave one arm only",
        [SOTTO_VERDICT_NOTHING_YET] = "nothing is known yet: the interval holds all rewards",
        [SOTTO_VERDICT_BEST_ARM] = "one arm for all: what this epsilon buys without context",
        [SOTTO_VERDICT_ABOVE_ONE_ARM] = "better than one arm for all",
        [SOTTO_VERDICT_BELOW_ONE_ARM] = "worse than one arm for all",
        [SOTTO_VERDICT_BELOW_HINDSIGHT] = "worse than the best arm in hindsight",
        [SOTTO_VERDICT_CHANCE] = "no better than chance",
        [SOTTO_VERDICT_ABOVE_LOGGING] =
            "better than the logging policy, not known to beat one arm for all",
        [SOTTO_VERDICT_LIKE_ONE_ARM] =
            "cannot be told apart from one arm for all with 4294967295 seeds"};
    char text[SOTTO_VERDICT_BYTES];
    for (uint32_t v = 0; v < sizeof wanted / sizeof wanted[0]; v++) {
        assert_ptr_equal(sotto_replay_verdict_text((sotto_replay_verdict)v, UINT32_MAX, text),
                         text);
        assert_string_equal(text, wanted[v]);
    }
    sotto_replay_verdict_text(SOTTO_VERDICT_LIKE_ONE_ARM, 0, text);
    assert_string_equal(text, "cannot be told apart from one arm for all");
}

/* How many people a private method would need. */

static const sotto__need usual = {
    .dim = 10,
    .arms = 3,
    .parameters = SOTTO_PARAMETERS_PER_ARM,
    .epsilon = 1,
    .gain = 0.1,
    .share = 0.25,
};

TEST(what_cannot_be_planned_needs_nobody)
{
    const double gains[] = {0, -0.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        sotto__need need = usual;
        need.gain = gains[i];
        assert_int_equal(sotto__people_needed(&need), 0);
    }
    sotto__need no_privacy = usual, large = usual, far = usual;
    no_privacy.epsilon = 0;
    large.epsilon = 20;
    far.gain = 1e-7; /* more than SOTTO_HORIZON_MAX */
    assert_ints(sotto__people_needed(&no_privacy), 0, sotto__people_needed(&large), 0);
    assert_int_equal(sotto__people_needed(&far), 0);
}

/* As many as the plan's own curve says, in a world whose best arm earns the gain: with two arms one
 * of two normals is larger by 1/sqrt(pi), so D = gain sqrt(pi d). */
TEST(it_is_what_the_plan_says)
{
    sotto__need need = usual;
    need.arms = 2;
    uint64_t people = sotto__people_needed(&need);
    for (int more = 0; more < 2; more++) {
        const sotto_scene scene = {
            .dim = 10,
            .arms = 2,
            .parameters = SOTTO_PARAMETERS_PER_ARM,
            .link = SOTTO_LINK_IDENTITY,
            .reward_kind = SOTTO_REWARD_CONTINUOUS,
            .environment = SOTTO_ENVIRONMENT_SPHERE,
            .horizon = more != 0 ? people : people * 98 / 100,
        };
        sotto_plan plan;
        sotto_plan_point point = {.people = scene.horizon};
        sotto_match match =
            sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
        match.spec.score = SOTTO_SCORE_SELF;
        match.spec.theta_norm_max = match.environment.theta_norm = 0.1 * sqrt(M_PI * 10);
        assert_true(match.spec.reward_lo == -1 && match.spec.reward_hi == 1);
        assert_ok(sotto_match_set_learning(&match));
        assert_ok(sotto_plan_make(&match, &plan));
        assert_near(plan.reach * match.spec.theta_norm_max, 0.1, 1e-6);
        sotto_plan_predict(&plan, &point, 1);
        double won = 1 - point.regret_next / plan.best_reward;
        if (more != 0 ? won < 0.249 : won >= 0.25) fail_msg("%d: %g", more, won);
    }
}

static void assert_more(sotto__need more)
{
    uint64_t few = sotto__people_needed(&usual), many = sotto__people_needed(&more);
    if (few == 0 || many <= few) fail_msg("%g and %g", (double)few, (double)many);
}

TEST(what_is_harder_needs_more_people)
{
    sotto__need more = usual;
    more.dim = 20;
    assert_more(more);
    more = usual;
    more.epsilon = 0.5;
    assert_more(more);
    more = usual;
    more.gain = 0.05;
    assert_more(more);
    more = usual;
    more.share = 0.5;
    assert_more(more);
    more = usual;
    more.arms = 6;
    assert_more(more);
}

/* A gain that no parameter of length 1 has: the range of rewards grows with D. */
TEST(large_gains_and_shared_parameters_can_be_planned)
{
    sotto__need need = usual;
    need.gain = 0.9;
    need.dim = 40;
    assert_true(sotto__people_needed(&need) > 0);
    need = usual;
    need.parameters = SOTTO_PARAMETERS_SHARED;
    assert_true(sotto__people_needed(&need) > 0);
}

/* With the number of people that the plan needs for a share, people count fully; above a half all
 * shares are equal. */
TEST(people_count_as_what_they_won)
{
    sotto__need won = usual;
    const double shares[] = {0.05, 0.2, 0.5};
    for (size_t i = 0; i < 3; i++) {
        won.share = shares[i];
        uint64_t planned = sotto__people_needed(&won);
        assert_near(sotto__people_per_planned(&won, planned), 1, 1e-12);
        assert_near(sotto__people_per_planned(&won, 7 * planned), 7, 1e-12);
    }
    double half = sotto__people_per_planned(&won, 1000);
    won.share = 0.9;
    assert_true(sotto__people_per_planned(&won, 1000) == half);
    won.share = 0.049;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
    won.share = NAN;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
    won.share = 0.2;
    won.epsilon = 0;
    assert_true(isnan(sotto__people_per_planned(&won, 1000)));
}

/* Rewards without learning, and how a summary judges by them, from runs by hand. */

#define ARMS 3u
#define MATCHES 3u

/* Label 0 is the commonest, but giving everyone its arm costs much where label 2 is right; arm 1 is
 * never very wrong. */
static const double rewards[ARMS * ARMS] = {
    2,  1, 0, /* label 0 */
    0,  1, 0, /* label 1 */
    -8, 1, 2, /* label 2 */
};

static void begin(void)
{
    game_begin(MATCHES, ARMS, (const uint64_t[ARMS]){10, 5, 5});
    sotto__replay_rules *rules = &g.replay.settings.rules;
    rules->rewards = rewards, rules->reward_lo = -8, rules->reward_hi = 2;
}

static void set_tail(uint32_t match, double reward)
{
    for (uint32_t i = 0; i < SEEDS; i++) {
        g.run[match * SEEDS + i].tail_reward = reward + 0.01 * i;
    }
}

FIXTURE(set_up)
{
    begin();
}

TEST(rewards_of_one_arm_for_all)
{
    const uint64_t count[ARMS] = {100, 50, 50};
    const sotto__replay_rules rules = {.rewards = rewards}, labels = {0};
    assert_true(sotto__constant_arm_reward(&rules, ARMS, count, 0) == -200);
    assert_true(sotto__constant_arm_reward(&rules, ARMS, count, 1) == 200);
    assert_true(sotto__constant_arm_reward(&rules, ARMS, count, 2) == 100);
    assert_true(fabs(sotto__random_arm_reward(&rules, ARMS, count) - 100.0 / 3) < 1e-12);
    assert_int_equal(sotto__best_constant_arm(&rules, ARMS, count), 1);
    const uint64_t even[ARMS] = {0, 0, 0};
    assert_int_equal(sotto__best_constant_arm(&rules, ARMS, even), 0);
    assert_true(sotto__constant_arm_reward(&labels, ARMS, count, 2) == 50);
    assert_true(fabs(sotto__random_arm_reward(&labels, ARMS, count) - 200.0 / 3) < 1e-12);
    assert_true(sotto__right_arm_reward(&rules, ARMS, count) == 2 * 100 + 50 + 2 * 50);
    assert_true(sotto__right_arm_reward(&labels, ARMS, count) == 200);
    const uint64_t last[ARMS] = {1, 2, 7};
    assert_int_equal(sotto__best_constant_arm(&labels, ARMS, last), 2);
}

TEST_WITH(methods_are_judged_by_the_best_arm_for_all, set_up, game_free)
{
    set_tail(0, 3); /* near a random arm, which earns 10/3, of a range of 10 x 20 */
    set_tail(1, 26);
    set_tail(2, 25);
    summarise();
    const sotto_replay_line *yardstick = summary.line + MATCHES;
    assert_true(summary.by_table);
    assert_string_equal(yardstick[0].name, "fixed-arm");
    assert_int_equal(summary.best_arm, 1);
    assert_true(yardstick[0].reward_mean == 1 && yardstick[0].last_mean == 1);
    assert_string_equal(yardstick[1].name, "random-arm");
    assert_true(fabs(yardstick[1].reward_mean - 1.0 / 6) < 1e-12);
    assert_true(fabs(yardstick[1].last_mean - 1.0 / 6) < 1e-12);
    assert_int_equal(summary.line[0].verdict, SOTTO_VERDICT_BELOW_ONE_ARM);
    assert_int_equal(summary.line[1].verdict, SOTTO_VERDICT_ABOVE_ONE_ARM);
    assert_true(fabs(summary.line[1].ahead.lo - 0.3) < 0.01); /* 6 of 20 people */
    assert_int_equal(summary.findings.finding[0].reason, SOTTO_REASON_ONE_ARM);
    assert_true(fabs(summary.findings.gain - 0.3) < 0.01); /* as rewards are */
}

/* Seeds that are 20 of 20 above or below random arms: far from each other in a range of 1, near in one of
 * 100, where all of them are no better than chance. */
TEST_WITH(what_is_much_is_so_by_the_range, set_up, game_free)
{
    for (uint32_t wide = 0; wide < 2; wide++) {
        g.replay.settings.rules.reward_lo = wide == 1 ? -98 : 1;
        for (uint32_t i = 0; i < SEEDS; i++) {
            g.run[i].tail_reward = 10.0 / 3 + (i % 2 == 0 ? 20 : -20);
        }
        summarise();
        assert_int_equal(summary.line[0].verdict,
                         wide == 1 ? SOTTO_VERDICT_CHANCE : SOTTO_VERDICT_LIKE_ONE_ARM);
    }
}

/* The right arms win 35 - 20 of 20 people, 0.75 each: a tenth of that is less than 0.02 of a range of 10. Where everybody
 * has the same label there is nothing to win, and the range counts. */
TEST_WITH(a_lead_is_much_by_what_can_be_won, set_up, game_free)
{
    for (uint32_t i = 0; i < MATCHES * SEEDS; i++) {
        g.run[i].tail_reward = 20 + (i % 2 == 0 ? 1 : -1) * 1.5;
    }
    summarise();
    assert_near(summary.findings.lead, 0.075, 1e-12);
    assert_int_equal(summary.findings.finding[0].reason, SOTTO_REASON_UNKNOWN);
    g.replay.settings.rules.rewards = NULL;
    summarise();
    assert_near(summary.findings.lead, SOTTO_REPLAY_LEAD, 1e-12);
    g.arm_count[0] = 200, g.arm_count[1] = g.arm_count[2] = 0;
    g.tail_arm_count[0] = 20, g.tail_arm_count[1] = g.tail_arm_count[2] = 0;
    summarise();
    assert_near(summary.findings.lead, SOTTO_REPLAY_LEAD, 1e-12);
}

TEST_WITH(what_cannot_be_judged_stays_so, set_up, game_free)
{
    g.replay.settings.seeds_count = 2;
    summarise();
    assert_int_equal(summary.line[0].verdict, SOTTO_VERDICT_FEW_SEEDS);
    assert_true(isnan(summary.line[0].ahead.lo));
    assert_int_equal(summary.findings.findings_count, 0);
    assert_string_equal(summary.line[MATCHES].name, "fixed-arm");
}

TEST_WITH(without_a_table_nothing_changes, set_up, game_free)
{
    g.replay.settings.rules.rewards = NULL;
    summarise();
    assert_false(summary.by_table);
    assert_string_equal(summary.line[MATCHES].name, "majority-arm");
    assert_true(summary.line[MATCHES].reward_mean == 0.5);
    assert_int_equal(summary.best_arm, 0);
}
