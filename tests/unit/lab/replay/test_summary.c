/* The findings of a replay, from runs by hand. */
#include "replay_scene.h"

#define ARMS 2u
#define MATCHES 4u

/* sotto at epsilon 2, linucb, ols and best-arm at epsilon 2. Arm 1 has 120 of the 200 people, and 12
 * of the last 20 of every seed. */
static void begin(void)
{
    game_begin(MATCHES, ARMS, (const uint64_t[ARMS]){8, 12});
    g.match[0].spec.epsilon = g.match[3].spec.epsilon = 2;
    for (uint32_t i = 0; i < SEEDS; i++) {
        g.run[3 * SEEDS + i].tail_reward = 11;
    }
}

/* Rewards of the last people, seed by seed. */
static void set_tail(uint32_t match, const double reward[SEEDS])
{
    for (uint32_t i = 0; i < SEEDS; i++) {
        g.run[match * SEEDS + i].tail_reward = reward[i];
        g.run[match * SEEDS + i].now.reward = 100 + reward[i];
    }
}

static const double high[SEEDS] = {16, 17, 16, 15, 16, 16}, even[SEEDS] = {12, 13, 11, 12, 13, 11},
                    low[SEEDS] = {5, 5, 6, 5, 5, 4}, toss[SEEDS] = {10, 10, 10, 10, 10, 10};

static void assert_unjudged(sotto_replay_verdict verdict)
{
    summarise();
    assert_false(summary.judged);
    for (uint32_t m = 0; m < MATCHES; m++) {
        assert_int_equal(summary.line[m].verdict, verdict);
        assert_true(isnan(summary.line[m].ahead.lo) && isnan(summary.line[m].ahead.hi));
        assert_true(isnan(summary.line[m].share.value));
    }
    assert_int_equal(summary.findings.findings_count, 0);
    assert_null(summary.findings.finding);
    sotto__replay_summary_free(&summary);
    assert_null(summary.line);
    sotto__replay_summary_free(&summary);
}

FIXTURE(set_up)
{
    begin();
}

TEST_WITH(what_cannot_be_judged_is_not, set_up, game_free)
{
    g.replay.settings.seeds_count = SOTTO__SEEDS_TELL - 1;
    assert_unjudged(SOTTO_VERDICT_FEW_SEEDS);
    begin();
    for (uint32_t r = 0; r < MATCHES * SEEDS; r++) {
        g.run[r].now.t = 180; /* none of the people is among the last */
    }
    assert_unjudged(SOTTO_VERDICT_FEW_PEOPLE);
    begin();
    g.arm_count[0] = 80000, g.arm_count[1] = 120000, g.yardstick.rows = 200000;
    g.tail_arm_count[0] = 20000, g.tail_arm_count[1] = 0;
    assert_unjudged(SOTTO_VERDICT_SORTED);
}

TEST_WITH(as_many_seeds_as_tell_are_judged, set_up, game_free)
{
    g.replay.settings.seeds_count = SOTTO__SEEDS_TELL;
    summarise();
    assert_true(summary.judged);
}

/* high: 16 of 20 in the mean, 0.2 ahead of 12; even is that arm itself; low is 0.35 behind and
 * 0.25 below chance, 10 of 20. */
TEST_WITH(methods_are_judged_by_the_last_people, set_up, game_free)
{
    const struct {
        const double *tail;
        sotto_replay_verdict verdict;
        double mean;
    } wanted[] = {
        {high, SOTTO_VERDICT_ABOVE_ONE_ARM, 0.8},
        {even, SOTTO_VERDICT_LIKE_ONE_ARM, 0.6},
        {low, SOTTO_VERDICT_BELOW_ONE_ARM, 0.25},
        {toss, SOTTO_VERDICT_BELOW_ONE_ARM, 0.5}, /* best-arm has 11 of 20 */
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        begin();
        set_tail(0, wanted[i].tail);
        set_tail(1, high);
        summarise();
        const sotto_replay_line *line = summary.line;
        assert_true(summary.judged);
        assert_int_equal(line[0].verdict, wanted[i].verdict);
        assert_int_equal(line[1].verdict, SOTTO_VERDICT_ABOVE_ONE_ARM);
        assert_int_equal(line[3].verdict, SOTTO_VERDICT_BEST_ARM);
        double over = (line[0].ahead_best_arm.lo + line[0].ahead_best_arm.hi) / 2;
        assert_near(over, wanted[i].mean - 0.55, 1e-12);
        assert_true(isnan(line[1].ahead_best_arm.lo) && isnan(line[3].ahead_best_arm.lo));
        assert_near(line[0].last_mean, wanted[i].mean, 1e-12);
        assert_near(line[0].reward_mean, (100 + 20 * wanted[i].mean) / 200, 1e-12);
        assert_near((line[0].ahead.lo + line[0].ahead.hi) / 2, wanted[i].mean - 0.6, 1e-12);
        assert_near(line[0].ahead.hi - line[0].ahead.lo, 6 * line[0].last_se, 1e-12);
    }
}

/* The standard error of 16, 17, 16, 15, 16, 16 is sqrt(2/5/6); a person counts a twentieth. */
TEST_WITH(lines_have_their_numbers_and_names, set_up, game_free)
{
    set_tail(0, low);
    set_tail(1, high);
    summarise();
    const sotto_replay_line *line = summary.line;
    assert_ints(summary.lines_count, MATCHES + 2, summary.seeds, SEEDS, summary.people, 200);
    assert_ints(summary.rows, 200, summary.best_arm, 1, summary.known, SOTTO_KNOWN_ROWS);
    assert_string_equal(line[0].name, "sotto");
    assert_true(line[0].epsilon == 2 && !line[0].yardstick);
    assert_string_equal(line[1].name, "linucb");
    assert_true(isinf(line[1].epsilon) && !line[1].yardstick);
    assert_near(line[1].last_se, sqrt(2.0 / 5 / 6) / 20, 1e-12);
    assert_near(line[1].reward_se, sqrt(2.0 / 5 / 6) / 200, 1e-12);
    assert_string_equal(line[3].name, "best-arm");
    assert_true(line[3].epsilon == 2 && !line[3].yardstick);
    assert_string_equal(line[4].name, "majority-arm");
    assert_true(line[4].yardstick && isinf(line[4].epsilon));
    assert_nears(1e-12, line[4].reward_mean, 0.6, line[4].last_mean, 0.6);
    assert_true(line[4].reward_se == 0 && line[4].last_se == 0);
    assert_true(isnan(line[4].share.value) && isnan(line[5].share.value));
    assert_string_equal(line[5].name, "random-arm");
    assert_true(line[5].reward_mean == 0.5 && line[5].last_mean == 0.5);
    assert_int_equal(line[5].verdict, SOTTO_VERDICT_NONE);
    for (uint32_t i = 0; i < summary.lines_count; i++) {
        assert_false(line[i].refused); /* 2 per report is accepted */
    }
}

/* linucb is 4 of 20 ahead; low is 7 behind, even is level, under is a little behind best-arm's 11. What sotto wins is
 * held against that, and the reason follows from what ols wins. */
TEST_WITH(a_summary_says_why_nothing_was_learnt, set_up, game_free)
{
    static const double like[SEEDS] = {11, 11.5, 10.5, 11, 11.5, 10.5};
    const struct {
        const double *sotto, *linucb, *ols;
        sotto_replay_reason reason;
        double share, gain;
        sotto_replay_advice advice;
    } wanted[] = {
        {high, high, high, SOTTO_REASON_LEARNT, 1, 0.2, SOTTO_ADVICE_RUN},
        {low, high, high, SOTTO_REASON_ONE_ARM, -1.75, 0.2, SOTTO_ADVICE_ONE_ARM},
        {like, high, high, SOTTO_REASON_PRIVACY, -0.25, 0.2, SOTTO_ADVICE_ONE_ARM},
        {like, high, low, SOTTO_REASON_EXPLORATION, -0.25, 0.2, SOTTO_ADVICE_ONE_ARM},
        {low, toss, low, SOTTO_REASON_NO_SIGNAL, NAN, NAN, SOTTO_ADVICE_NOTHING},
        {like, high, even, SOTTO_REASON_UNKNOWN, -0.25, 0.2, SOTTO_ADVICE_ONE_ARM},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        begin();
        set_tail(0, wanted[i].sotto);
        set_tail(1, wanted[i].linucb);
        set_tail(2, wanted[i].ols);
        summarise();
        const sotto_replay_findings *found = &summary.findings;
        assert_ints(found->explorer, 1, found->greedy, 2, found->findings_count, 1);
        assert_int_equal(found->finding[0].best, 0);
        assert_true(found->finding[0].epsilon == 2);
        if (found->finding[0].reason != wanted[i].reason) fail_msg("row %zu", i);
        assert_ints(found->gains, !isnan(wanted[i].gain), found->advice, wanted[i].advice);
        bool learnt = wanted[i].reason == SOTTO_REASON_LEARNT;
        uint64_t needed = found->finding[0].people_needed; /* who did not learn it are too few */
        if (learnt ? needed == 0 : needed > 0 && needed <= 200) fail_msg("needed %zu", i);
        assert_int_equal(found->finding[0].people_compared, learnt);
        if (found->gains) assert_near(found->gain, wanted[i].gain, 1e-12);
        if (found->gains) assert_near(summary.line[0].share.value, wanted[i].share, 1e-9);
    }
}

/* 200 people won all, which counts as a half. */
TEST_WITH(people_needed_are_compared_with_what_was_won, set_up, game_free)
{
    for (uint32_t match = 0; match < 3; match++) {
        set_tail(match, high);
    }
    summarise();
    const sotto_spec *spec = &g.replay.settings.match[0].spec;
    sotto__need need = {.dim = spec->dim,
                        .arms = spec->arms,
                        .parameters = spec->parameters,
                        .epsilon = 2,
                        .gain = 0.2,
                        .share = 0.25};
    double quarter = (double)sotto__people_needed(&need);
    need.share = 0.5;
    double half = (double)sotto__people_needed(&need);
    assert_true(quarter > 0 && quarter < half);
    assert_near((double)summary.findings.finding[0].people_needed, 200 * quarter / half, 1);
}

/* Of a person met three times nobody is counted twice, and 3 times 2 is within a life; 5 times 2 is not. */
TEST_WITH(passes_count_people_once_and_epsilon_each_time, set_up, game_free)
{
    for (uint32_t passes = 3; passes <= 5; passes += 2) {
        begin();
        g.replay.settings.passes = passes;
        for (uint32_t r = 0; r < MATCHES * SEEDS; r++) {
            g.run[r].now.t = 200 * passes;
        }
        summarise();
        assert_ints(summary.people, 200, summary.line[0].people, 200 * passes);
        assert_int_equal(summary.line[0].refused, passes == 5);
        assert_false(summary.line[1].refused);
        assert_int_equal(summary.findings.finding[0].refused, passes == 5);
    }
}

/* Who did not learn it are too few: no smaller number is told. And the same number is told whatever else is asked. */
TEST_WITH(people_needed_contradict_nothing, set_up, game_free)
{
    static const double unsure[SEEDS] = {12, 20, 12, 20, 10, 19};
    set_tail(0, unsure);
    set_tail(1, high);
    set_tail(2, high);
    summarise();
    assert_int_equal(summary.findings.finding[0].reason, SOTTO_REASON_UNKNOWN);
    assert_true(summary.line[0].share.value > 0.5);
    assert_int_equal(summary.findings.finding[0].people_needed, 0);
    begin();
    g.match[0].spec.epsilon = 0.2;
    set_tail(0, low);
    set_tail(1, high);
    summarise();
    uint64_t alone = summary.findings.finding[0].people_needed;
    assert_true(alone > summary.people);
    begin();
    g.match[3] = match_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, ARMS);
    g.match[0].spec.epsilon = 0.2;
    g.match[3].spec.epsilon = 8; /* at which everything is won */
    set_tail(0, low);
    set_tail(1, high);
    set_tail(3, high);
    summarise();
    assert_int_equal(summary.findings.findings_count, 2);
    assert_int_equal(summary.findings.finding[0].people_needed, alone);
}

/* ---- logs --------------------------------------------------------------------------------- */

/* 200 events, a group each, at propensity 0.5. Arm 0 has the events that are no multiple of 4, and of these the odd
 * ones earn 1; arm 1 the others, which earn nothing. All methods give the arm of the events below 100, of which
 * `wins` earn 1. */
static void begin_log(uint32_t wins)
{
    begin();
    g.replay.settings.rules.log = true;
    g.replay.settings.rules.reward_hi = 1;
    g.yardstick.clipped = 50;
    g.yardstick.propensity_min = 0.5;
    g.yardstick.agreed = g.agreed;
    g.evidence.group = g.group;
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t arm = i % 4 == 0;
        sotto__off_policy_add(&g.yardstick.logging, i % 2, 1, 0);
        sotto__off_policy_add(&g.constant[arm], i % 2, 0.5, 0.1);
        g.agreed[arm * SOTTO__GROUPS + i] = (sotto__agreed){2, 2 * (i % 2)};
        g.group[i].weight = i < 100 ? 2 : 0;
        g.group[i].product = i < wins ? 2 : 0;
    }
    for (uint32_t r = 0; r < MATCHES * SEEDS; r++) {
        g.run[r].evidence = &g.evidence;
        for (uint32_t i = 0; i < 100; i++) {
            sotto__off_policy_add(&g.run[r].now.weighted, i < wins, 0.5, 0.1);
            if (i % 2 == 0) sotto__off_policy_add(&g.run[r].now.replayed, i < wins, 1, 0);
        }
    }
}

/* The log earns 0.5 and arm 0 2/3, so 0.75 is certainly better than the log alone. */
TEST_WITH(a_log_is_judged_by_its_best_fixed_arm, set_up, game_free)
{
    const struct {
        uint32_t wins;
        sotto_replay_verdict verdict;
        sotto_replay_reason reason;
    } wanted[] = {{99, SOTTO_VERDICT_ABOVE_ONE_ARM, SOTTO_REASON_LEARNT},
                  {75, SOTTO_VERDICT_ABOVE_LOGGING, SOTTO_REASON_UNKNOWN},
                  {66, SOTTO_VERDICT_LIKE_ONE_ARM, SOTTO_REASON_UNKNOWN},
                  {5, SOTTO_VERDICT_BELOW_ONE_ARM, SOTTO_REASON_NO_SIGNAL}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        begin_log(wanted[i].wins);
        g.match[3].player = SOTTO_PLAYER_LDP_SGD; /* best-arm would earn the same as all others */
        g.run[SEEDS].now.t = 150;
        summarise();
        assert_ints(summary.line[0].people, 200, summary.line[1].people, 150);
        if (summary.line[0].verdict != wanted[i].verdict) fail_msg("verdict %zu", i);
        if (summary.findings.finding[0].reason != wanted[i].reason) fail_msg("reason %zu", i);
        assert_near((summary.line[0].ahead.lo + summary.line[0].ahead.hi) / 2,
                    wanted[i].wins / 100.0 - 2.0 / 3, 1e-12);
        assert_near(summary.line[0].weighted.value, wanted[i].wins / 100.0, 1e-12);
        assert_false(summary.same);
        begin_log(wanted[i].wins);
        summarise(); /* who does as best-arm does */
        assert_true(summary.line[0].ahead_best_arm.lo == 0 &&
                    summary.line[0].ahead_best_arm.hi == 0);
        assert_int_not_equal(summary.line[0].verdict, SOTTO_VERDICT_ABOVE_ONE_ARM);
        assert_int_equal(summary.line[3].verdict, SOTTO_VERDICT_BEST_ARM);
    }
}

TEST_WITH(a_log_of_one_arm_is_not_judged, set_up, game_free)
{
    begin_log(60);
    g.arm_count[1] = 0;
    summarise();
    assert_false(summary.judged);
    assert_int_equal(summary.line[0].verdict, SOTTO_VERDICT_ONE_LOGGED);
    assert_ints(summary.findings.findings_count, 0, summary.findings.advice, SOTTO_ADVICE_NONE);
}

TEST_WITH(rewards_that_never_differ_have_nothing_to_learn, set_up, game_free)
{
    begin_log(60);
    g.yardstick.logging = (sotto__off_policy){0};
    for (uint32_t i = 0; i < 200; i++) {
        sotto__off_policy_add(&g.yardstick.logging, 1, 1, 0);
    }
    summarise();
    assert_true(summary.judged && summary.same);
    assert_int_equal(summary.findings.advice, SOTTO_ADVICE_NOTHING);
    assert_int_equal(summary.findings.finding[0].reason, SOTTO_REASON_NO_SIGNAL);
}

TEST_WITH(an_interval_of_all_rewards_says_nothing_yet, set_up, game_free)
{
    begin_log(60);
    g.replay.settings.rules.reward_lo = 0.55;
    g.replay.settings.rules.reward_hi = 0.65;
    summarise();
    assert_int_equal(summary.line[0].verdict, SOTTO_VERDICT_NOTHING_YET);
}

/* Six seeds replay one log: their interval is as long as that of one, but for n - 1. */
TEST_WITH(seeds_do_not_make_a_log_longer, set_up, game_free)
{
    begin_log(60);
    const sotto__replay_point *now = &g.run[0].now;
    sotto_estimate one = sotto__off_policy_value(&now->weighted, 200);
    sotto_estimate learnt = sotto__off_policy_value(&now->replayed, 50);
    summarise();
    const sotto_replay_line *line = summary.line;
    assert_near(line[0].weighted.hi - line[0].weighted.lo, one.hi - one.lo,
                0.01 * (one.hi - one.lo));
    assert_near(line[0].replayed.hi - line[0].replayed.lo, learnt.hi - learnt.lo,
                0.02 * (learnt.hi - learnt.lo));
    assert_near(line[0].learnt, 50, 1e-12);
    assert_near(line[0].effective_size, 100, 1e-9);
    assert_near(line[0].self_normalised, 0.6, 1e-12);
}

/* Arm 1 has the events 0, 4, ..., which earn nothing; arm 0 the others: 2 x 100/200. */
TEST_WITH(a_log_has_its_own_yardsticks, set_up, game_free)
{
    begin_log(60);
    summarise();
    const sotto_replay_line *line = summary.line + MATCHES;
    assert_string_equal(line[0].name, "logging");
    assert_near(line[0].weighted.value, 0.5, 1e-12);
    assert_string_equal(line[1].name, "fixed-arm");
    assert_near(line[1].weighted.value, 1, 1e-12);
    assert_int_equal(summary.best_arm, 0);
    assert_true(isnan(line[0].learnt) && isnan(line[1].replayed.value));
    assert_true(line[0].yardstick && line[1].yardstick);
    assert_near(summary.clipped_share, 0.25, 1e-12);
    assert_true(summary.clip == 0.1 && summary.propensity_min == 0.5);
}
