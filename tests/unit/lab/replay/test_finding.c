/* What can be learned at an epsilon and why not, from leads by hand. */
#include "lab/replay/replay.h"
#include "test.h"

#define SEEDS 5u

/* A line with a lead, give or take; over best-arm `above` of it. */
static sotto_replay_line line_of(sotto_player player, double epsilon, double lead, double reach,
                                 double above)
{
    return (sotto_replay_line){
        .player = player,
        .epsilon = epsilon,
        .ahead = {lead - reach, lead + reach},
        .ahead_best_arm = {above - reach, above + reach},
        .share = {NAN, NAN, NAN},
    };
}

TEST(what_is_not_a_number_cannot_be_told)
{
    const sotto_replay_line line = line_of(SOTTO_PLAYER_SOTTO, 1, NAN, NAN, NAN);
    const sotto__leads leads = {.line = &line, .count = 1, .lead = 0.02, .lead_min = 0.02};
    assert_int_equal(sotto__standing_open(&line, 0.02), SOTTO_STANDING_UNKNOWN);
    assert_int_equal(sotto__standing_private(&line, 0.02), SOTTO_STANDING_UNKNOWN);
    assert_false(sotto__is_without_signal(&leads));
    assert_null(sotto_replay_reason_name((sotto_replay_reason)6));
}

/* Means 0.02 of 0.1. ahead - gain/5 is 0.001, -0.001, 0, 0, 0 and has the standard deviation
 * sqrt(2e-6/4), the mean of five that over sqrt(5). */
TEST(a_share_has_the_error_of_the_ratio)
{
    const double gain[SEEDS] = {0.1, 0.1, 0.15, 0.05, 0.1};
    const double ahead[SEEDS] = {0.021, 0.019, 0.03, 0.01, 0.02};
    double scratch[SEEDS];
    sotto_replay_share share = sotto__share_of(ahead, gain, SEEDS, scratch);
    double reach = 3 * sqrt(2e-6 / 4 / 5) / 0.1;
    assert_nears(1e-12, share.value, 0.2, share.lo, 0.2 - reach, share.hi, 0.2 + reach);
    share = sotto__share_of(gain, gain, SEEDS, scratch); /* of itself, whatever the draw */
    assert_nears(1e-12, share.lo, 1, share.hi, 1);
}

/* Without privacy a quarter of the gain is enough; a private method must beat one arm for all, by
 * any amount. */
TEST(a_quarter_of_the_gain_is_the_threshold)
{
    const struct {
        double lo, hi;
        sotto_replay_standing open, private;
    } wanted[] = {
        {0.25, 0.5, SOTTO_STANDING_WINS, SOTTO_STANDING_UNKNOWN},
        {0.2499, 0.5, SOTTO_STANDING_UNKNOWN, SOTTO_STANDING_UNKNOWN},
        {-1, 0.25, SOTTO_STANDING_UNKNOWN, SOTTO_STANDING_UNKNOWN},
        {-1, 0.2499, SOTTO_STANDING_FAILS, SOTTO_STANDING_FAILS},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_line line = line_of(SOTTO_PLAYER_SOTTO, 1, 0, 0.1, 0);
        line.share = (sotto_replay_share){0.1, wanted[i].lo, wanted[i].hi};
        if (sotto__standing_open(&line, 0.02) != wanted[i].open) fail_msg("row %zu", i);
        if (sotto__standing_private(&line, 0.02) != wanted[i].private) fail_msg("row %zu", i);
        line.ahead = line.ahead_best_arm = (sotto_span){0.001, 0.02};
        assert_int_equal(sotto__standing_private(&line, 0.02), SOTTO_STANDING_WINS);
        line.ahead_best_arm = (sotto_span){-0.001, 0.02}; /* the majority arm alone is not enough */
        assert_int_not_equal(sotto__standing_private(&line, 0.02), SOTTO_STANDING_WINS);
    }
}

TEST(without_a_gain_the_lead_itself_counts)
{
    const struct {
        double lo, hi;
        sotto_replay_standing standing;
    } wanted[] = {
        {0.0001, 0.01, SOTTO_STANDING_WINS},
        {0, 0.0199, SOTTO_STANDING_FAILS},
        {0, 0.02, SOTTO_STANDING_UNKNOWN},
        {-0.5, 0.0199, SOTTO_STANDING_FAILS},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_line line = line_of(SOTTO_PLAYER_OLS, INFINITY, 0, 0, NAN);
        line.ahead = (sotto_span){wanted[i].lo, wanted[i].hi};
        if (sotto__standing_open(&line, 0.02) != wanted[i].standing) fail_msg("row %zu", i);
        line.ahead = (sotto_span){wanted[i].lo / 10, wanted[i].hi / 10};
        if (sotto__standing_open(&line, 0.002) != wanted[i].standing) fail_msg("row %zu", i);
    }
}

/* linucb decides, unless another method is certainly ahead by a relevant amount. */
TEST(a_lead_below_what_counts_is_no_signal)
{
    const struct {
        double lo, hi, lead_min, other;
        bool signal;
    } wanted[] = {
        {-0.0021, 0.0004, 0.02, -0.1, false}, {-0.0021, 0.0004, 0.0003, -0.1, false},
        {0.003, 0.019, 0.02, -0.1, false},    {0.003, 0.019, 0.002, -0.1, true},
        {-0.01, 0.02, 0.02, -0.1, true},      {-0.3, -0.2, 0.02, 0.1, true},
        {-0.3, -0.2, 0.02, 0.019, false},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const sotto_replay_line line[2] = {
            {.ahead = {wanted[i].lo, wanted[i].hi}},
            line_of(SOTTO_PLAYER_OLS, INFINITY, wanted[i].other + 0.5, 0.5, NAN),
        };
        const sotto__leads leads = {line, 2, 0, 1, 0.02, wanted[i].lead_min};
        if (sotto__is_without_signal(&leads) == wanted[i].signal) fail_msg("row %zu", i);
    }
}

/* All 27 cases: rows are those of the method that explores, then of the greedy one, then of the
 * private one, each unknown, wins, fails; and who is worse than best-arm is, unless it wins. */
TEST(privacy_is_blamed_only_where_greedy_without_it_wins)
{
    static const char *const wanted[3][3] = {
        {"?L?", "?LP", "?L?"}, /* whether the exploring method wins is not known */
        {"?L?", "?LP", "?LE"}, /* it wins */
        {"?L?", "?LP", "?L?"}, /* it fails */
    };
    for (int x = 0; x < 3; x++) {
        for (int at = 0; at < 9; at++) {
            int g = at / 3, b = at % 3;
            sotto_replay_reason reason =
                sotto__reason_of((sotto_replay_standing)x, (sotto_replay_standing)g,
                                 (sotto_replay_standing)b, false);
            char letter = "?LNEP1"[reason];
            if (letter != wanted[x][g][b]) fail_msg("%d %d %d: %c", x, g, b, letter);
            reason = sotto__reason_of((sotto_replay_standing)x, (sotto_replay_standing)g,
                                      (sotto_replay_standing)b, true);
            assert_int_equal(reason,
                             b == SOTTO_STANDING_WINS ? SOTTO_REASON_LEARNT : SOTTO_REASON_ONE_ARM);
        }
    }
}

TEST(reasons_have_names)
{
    static const char *const wanted[] = {"unknown",     "learnt",  "no-signal",
                                         "exploration", "privacy", "one-arm"};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(sotto_replay_reason_name((sotto_replay_reason)i), wanted[i]);
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Two private methods at two epsilons, best-arm at both, then greedy, then the one that explores. */
#define METHODS 8u
static const sotto_player players[METHODS] = {
    SOTTO_PLAYER_SOTTO,    SOTTO_PLAYER_SOTTO,    SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_SGD,
    SOTTO_PLAYER_BEST_ARM, SOTTO_PLAYER_BEST_ARM, SOTTO_PLAYER_OLS,     SOTTO_PLAYER_LINUCB};
static const double epsilons[METHODS] = {4, 0.5, 4, 0.5, 4, 0.5, INFINITY, INFINITY};

/* Each method is ahead by mean[m], and its share is of the last one, if that is ahead. */
static sotto_replay_findings findings_of(const double mean[METHODS], double reach)
{
    sotto_replay_line line[METHODS];
    for (uint32_t m = 0; m < METHODS; m++) {
        double above = m < 4 ? mean[m] - mean[4 + m % 2] : NAN, gain = mean[METHODS - 1];
        line[m] = line_of(players[m], epsilons[m], mean[m], reach, above);
        line[m].refused = epsilons[m] == 4;
        if (gain <= reach) continue;
        line[m].share = (sotto_replay_share){mean[m] / gain, (mean[m] - reach) / gain,
                                             (mean[m] + reach) / gain};
    }
    const sotto__leads leads = {line, METHODS, 7, 6, SOTTO_REPLAY_LEAD, SOTTO_REPLAY_LEAD};
    sotto_replay_findings findings;
    assert_ok(sotto__findings_of(&leads, &findings));
    assert_int_equal(findings.findings_count, 2);
    assert_true(findings.finding[0].epsilon == 4 && findings.finding[1].epsilon == 0.5);
    assert_true(findings.finding[0].refused && !findings.finding[1].refused);
    return findings;
}

TEST(the_best_private_method_is_judged)
{
    const double mean[METHODS] = {-0.3, 0.001, 0.08, -0.2, -0.01, 0, 0.1, 0.1};
    sotto_replay_findings found = findings_of(mean, 0.002);
    assert_true(found.gains);
    assert_near(found.gain, 0.1, 1e-12);
    assert_ints(found.finding[0].best, 2, found.finding[0].reason, SOTTO_REASON_LEARNT);
    assert_int_equal(found.finding[1].best,
                     1); /* best-arm, which is ahead of it at 4, does not count */
    assert_int_equal(found.finding[1].reason, SOTTO_REASON_PRIVACY);
    assert_ints(found.finding[1].standing, SOTTO_STANDING_FAILS, found.finding[1].people_needed, 0);
    assert_ints(found.advice, SOTTO_ADVICE_RUN, found.advised, 0);
    sotto__findings_free(&found);
    assert_null(found.finding);
    sotto__findings_free(&found);
}

TEST(the_smallest_epsilon_that_learns_is_advised)
{
    const double mean[METHODS] = {0.09, 0.02, 0, 0, -0.01, -0.01, 0.1, 0.1};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.002);
    assert_int_equal(found.finding[1].reason, SOTTO_REASON_LEARNT); /* a fifth of the gain */
    assert_ints(found.advice, SOTTO_ADVICE_RUN, found.advised, 1);
}

/* The finding at the last epsilon decides neither the advice nor whether it is certain. */
TEST(the_order_of_epsilons_does_not_matter)
{
    sotto_replay_line line[] = {line_of(SOTTO_PLAYER_SOTTO, 0.5, 0.05, 0.002, 0.06),
                                line_of(SOTTO_PLAYER_SOTTO, 4, 0.09, 0.002, 0.1),
                                line_of(SOTTO_PLAYER_OLS, INFINITY, 0.1, 0.002, NAN),
                                line_of(SOTTO_PLAYER_LINUCB, INFINITY, 0.1, 0.002, NAN)};
    const sotto__leads leads = {line, 4, 3, 2, SOTTO_REPLAY_LEAD, SOTTO_REPLAY_LEAD};
    sotto_replay_findings found;
    assert_ok(sotto__findings_of(&leads, &found));
    assert_ints(found.finding[1].reason, SOTTO_REASON_LEARNT, found.advised, 0);
    sotto__findings_free(&found);
    line[0] = line_of(SOTTO_PLAYER_SOTTO, 0.5, 0, 0.2, 0); /* not known */
    line[1] = line_of(SOTTO_PLAYER_SOTTO, 4, -0.3, 0.002, -0.3);
    assert_ok(sotto__findings_of(&leads, &found));
    assert_int_equal(found.advice, SOTTO_ADVICE_ONE_ARM);
    assert_false(found.certain);
    sotto__findings_free(&found);
}

/* At 4 it is behind best-arm; at 0.5 it is ahead of that, and not of the majority arm. */
TEST(one_arm_for_all_is_advised_where_nothing_beats_it)
{
    const double mean[METHODS] = {-0.05, -0.05, -0.3, -0.3, -0.01, -0.2, 0.1, 0.1};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.002);
    assert_int_equal(found.finding[0].reason, SOTTO_REASON_ONE_ARM);
    assert_ints(found.finding[1].reason, SOTTO_REASON_PRIVACY, found.advice, SOTTO_ADVICE_ONE_ARM);
    assert_true(found.certain);
}

TEST(chance_decides_nothing)
{
    const double mean[METHODS] = {0.08, 0.01, -0.3, -0.3, 0, 0, 0.09, 0.1};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.2);
    assert_false(found.gains);
    assert_true(isnan(found.gain));
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_UNKNOWN);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_UNKNOWN);
    }
    assert_int_equal(found.advice, SOTTO_ADVICE_ONE_ARM);
    assert_false(found.certain);
}

TEST(exploration_is_the_reason_where_only_it_wins)
{
    const double mean[METHODS] = {-0.01, -0.1, -0.3, -0.3, -0.01, -0.1, 0.02, 0.1};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.001);
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_WINS);
    assert_int_equal(found.greedy_standing, SOTTO_STANDING_FAILS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_EXPLORATION);
    }
}

/* Not even where a method is a little ahead. */
TEST(where_nobody_wins_there_is_nothing_to_learn)
{
    const double mean[METHODS] = {0.003, -0.1, -0.3, -0.3, 0, 0, 0.005, 0.01};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.002);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_NO_SIGNAL);
    }
    assert_int_equal(found.advice, SOTTO_ADVICE_NOTHING);
}

/* With few people the exploring method may still be exploring. */
TEST(a_greedy_lead_is_the_gain_where_the_other_has_none)
{
    const double mean[METHODS] = {0.05, -0.1, -0.3, -0.3, 0, -0.1, 0.1, -0.2};
    FREED_BY(sotto__findings_free) sotto_replay_findings found = findings_of(mean, 0.001);
    assert_true(found.gains);
    assert_near(found.gain, 0.1, 1e-12);
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_FAILS);
    assert_int_equal(found.finding[0].reason, SOTTO_REASON_LEARNT);
    assert_int_equal(found.finding[1].reason, SOTTO_REASON_PRIVACY);
}

/* best-arm alone shows nothing about contexts. */
TEST(without_private_methods_there_are_no_findings)
{
    const sotto_replay_line line[] = {line_of(SOTTO_PLAYER_BEST_ARM, 1, 0, 0, NAN),
                                      line_of(SOTTO_PLAYER_OLS, INFINITY, 0.1, 0, NAN),
                                      line_of(SOTTO_PLAYER_LINUCB, INFINITY, 0.2, 0, NAN)};
    const sotto__leads leads = {line, 3, 2, 1, SOTTO_REPLAY_LEAD, SOTTO_REPLAY_LEAD};
    FREED_BY(sotto__findings_free) sotto_replay_findings found;
    assert_ok(sotto__findings_of(&leads, &found));
    assert_int_equal(found.findings_count, 0);
    assert_near(found.gain, 0.2, 1e-12);
    assert_int_equal(found.advice, SOTTO_ADVICE_NONE);
}
