/* What is earned without learning, and how a summary judges by it, from runs by hand. */
#include "lab/replay/constant_arm.h"
#include "lab/replay/summary.h"
#include "players.h"

#include <math.h>

#define ARMS 3u
#define SEEDS 6u
#define MATCHES 3u

/* Label 0 is the commonest, but giving everybody its arm costs much where label 2 is right; arm 1 is
 * never very wrong. */
static const double rewards[ARMS * ARMS] = {
    2,  1, 0, /* label 0 */
    0,  1, 0, /* label 1 */
    -8, 1, 2, /* label 2 */
};

typedef struct game {
    sotto_match match[MATCHES];
    sotto__replay_run run[MATCHES * SEEDS];
    uint64_t tail_arm_count[ARMS], arm_count[ARMS];
    sotto__off_policy constant[ARMS];
    sotto__yardstick yardstick;
    sotto__replay replay;
} game;

/* 200 people, of whom the last 20 are judged. */
static void begin(game *g)
{
    *g = (game){
        .match = {match_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 2, ARMS),
                  match_of(SOTTO_PLAYER_LINUCB, SOTTO_PARAMETERS_PER_ARM, 2, ARMS),
                  match_of(SOTTO_PLAYER_OLS, SOTTO_PARAMETERS_PER_ARM, 2, ARMS)},
        .tail_arm_count = {10, 5, 5},
        .arm_count = {100, 50, 50},
    };
    g->yardstick = (sotto__yardstick){.arms = ARMS,
                                      .clip = 0.1,
                                      .rows = 200,
                                      .arm_count = g->arm_count,
                                      .constant = g->constant,
                                      .propensity_min = 1};
    g->replay = (sotto__replay){
        .settings = {.match = g->match,
                     .matches_count = MATCHES,
                     .seeds_count = SEEDS,
                     .rules = {.tail_from = 180,
                               .tail_until = 200,
                               .rewards = rewards,
                               .reward_lo = -8,
                               .reward_hi = 2},
                     .passes = 1,
                     .told = SOTTO_TOLD_ROWS},
        .runs_count = (uint64_t)MATCHES * SEEDS,
        .run = g->run,
        .yardstick = &g->yardstick,
    };
    for (uint32_t r = 0; r < MATCHES * SEEDS; r++) {
        g->run[r] = (sotto__replay_run){
            .match = &g->match[r / SEEDS], .now = {.t = 200}, .tail_arm_count = g->tail_arm_count};
    }
}

static void set_tail(game *g, uint32_t match, double reward)
{
    for (uint32_t i = 0; i < SEEDS; i++) {
        g->run[match * SEEDS + i].tail_reward = reward + 0.01 * i;
    }
}

static void rewards_of_one_arm_for_all(void **state)
{
    (void)state;
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

static void methods_are_judged_by_the_best_arm_for_all(void **state)
{
    (void)state;
    game g;
    sotto_replay_summary summary;
    begin(&g);
    set_tail(&g, 0, 3); /* near a random arm, which earns 10/3, of a range of 10 x 20 */
    set_tail(&g, 1, 26);
    set_tail(&g, 2, 25);
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
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
    sotto__replay_summary_free(&summary);
}

/* Seeds that are 20 of 20 above or below random arms: far from each other in a range of 1, near in one of
 * 100, where all of them are no better than chance. */
static void what_is_much_is_so_by_the_range(void **state)
{
    (void)state;
    game g;
    sotto_replay_summary summary;
    begin(&g);
    for (uint32_t wide = 0; wide < 2; wide++) {
        g.replay.settings.rules.reward_lo = wide == 1 ? -98 : 1;
        for (uint32_t i = 0; i < SEEDS; i++) {
            g.run[i].tail_reward = 10.0 / 3 + (i % 2 == 0 ? 20 : -20);
        }
        assert_ok(sotto__replay_summary_of(&g.replay, &summary));
        assert_int_equal(summary.line[0].verdict,
                         wide == 1 ? SOTTO_VERDICT_CHANCE : SOTTO_VERDICT_LIKE_ONE_ARM);
        sotto__replay_summary_free(&summary);
    }
}

/* The right arms win 35 - 20 of 20 people, 0.75 each: a tenth of that is less than 0.02 of a range of 10. Where everybody
 * has the same label there is nothing to win, and the range counts. */
static void a_lead_is_much_by_what_can_be_won(void **state)
{
    (void)state;
    game g;
    sotto_replay_summary summary;
    begin(&g);
    for (uint32_t i = 0; i < MATCHES * SEEDS; i++) {
        g.run[i].tail_reward = 20 + (i % 2 == 0 ? 1 : -1) * 1.5;
    }
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
    assert_near(summary.findings.lead, 0.075, 1e-12);
    assert_int_equal(summary.findings.finding[0].reason, SOTTO_REASON_UNKNOWN);
    sotto__replay_summary_free(&summary);
    g.replay.settings.rules.rewards = NULL;
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
    assert_near(summary.findings.lead, SOTTO_REPLAY_LEAD, 1e-12);
    sotto__replay_summary_free(&summary);
    g.arm_count[0] = 200, g.arm_count[1] = g.arm_count[2] = 0;
    g.tail_arm_count[0] = 20, g.tail_arm_count[1] = g.tail_arm_count[2] = 0;
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
    assert_near(summary.findings.lead, SOTTO_REPLAY_LEAD, 1e-12);
    sotto__replay_summary_free(&summary);
}

static void what_cannot_be_judged_stays_so(void **state)
{
    (void)state;
    game g;
    sotto_replay_summary summary;
    begin(&g);
    g.replay.settings.seeds_count = 2;
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
    assert_int_equal(summary.line[0].verdict, SOTTO_VERDICT_FEW_SEEDS);
    assert_true(isnan(summary.line[0].ahead.lo));
    assert_int_equal(summary.findings.findings_count, 0);
    assert_string_equal(summary.line[MATCHES].name, "fixed-arm");
    sotto__replay_summary_free(&summary);
}

static void without_a_table_nothing_changes(void **state)
{
    (void)state;
    game g;
    sotto_replay_summary summary;
    begin(&g);
    g.replay.settings.rules.rewards = NULL;
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
    assert_false(summary.by_table);
    assert_string_equal(summary.line[MATCHES].name, "majority-arm");
    assert_true(summary.line[MATCHES].reward_mean == 0.5);
    assert_int_equal(summary.best_arm, 0);
    sotto__replay_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewards_of_one_arm_for_all),
        cmocka_unit_test(methods_are_judged_by_the_best_arm_for_all),
        cmocka_unit_test(what_is_much_is_so_by_the_range),
        cmocka_unit_test(a_lead_is_much_by_what_can_be_won),
        cmocka_unit_test(what_cannot_be_judged_stays_so),
        cmocka_unit_test(without_a_table_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
