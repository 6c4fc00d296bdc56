/* What can be learnt at an epsilon and why not, from leads by hand. */
#include "lab/replay/finding.h"
#include "test.h"

#include <math.h>

#define SEEDS 5u

static void what_is_not_a_number_cannot_be_told(void **state)
{
    (void)state;
    const sotto_span none = {NAN, NAN};
    const sotto_replay_share nowhere = {NAN, NAN, NAN};
    assert_int_equal(sotto__standing_of_lead(none, SOTTO_REPLAY_LEAD), SOTTO_STANDING_UNKNOWN);
    assert_int_equal(sotto__standing_of_share(nowhere), SOTTO_STANDING_UNKNOWN);
    assert_null(sotto_replay_reason_name((sotto_replay_reason)5));
}

/* Means 0.02 of 0.1. ahead - gain/5 is 0.001, -0.001, 0, 0, 0 and has the standard deviation
 * sqrt(2e-6/4), the mean of five that over sqrt(5). */
static void a_share_has_the_error_of_the_ratio(void **state)
{
    (void)state;
    const double gain[SEEDS] = {0.1, 0.1, 0.15, 0.05, 0.1};
    const double ahead[SEEDS] = {0.021, 0.019, 0.03, 0.01, 0.02};
    double scratch[SEEDS];
    sotto_replay_share share = sotto__share_of(ahead, gain, SEEDS, scratch);
    double reach = 3 * sqrt(2e-6 / 4 / 5) / 0.1;
    assert_near(share.value, 0.2, 1e-12);
    assert_near(share.lo, 0.2 - reach, 1e-12);
    assert_near(share.hi, 0.2 + reach, 1e-12);
    share = sotto__share_of(gain, gain, SEEDS, scratch); /* of itself, whatever the luck */
    assert_near(share.lo, 1, 1e-12);
    assert_near(share.hi, 1, 1e-12);
}

static void a_quarter_of_the_gain_is_the_threshold(void **state)
{
    (void)state;
    const struct {
        double lo, hi;
        sotto_replay_standing standing;
    } wanted[] = {
        {0.25, 0.5, SOTTO_STANDING_WINS},   {0.2499, 0.5, SOTTO_STANDING_UNKNOWN},
        {-1, 0.25, SOTTO_STANDING_UNKNOWN}, {-1, 0.2499, SOTTO_STANDING_FAILS},
        {0.01, 0.2, SOTTO_STANDING_FAILS}, /* ahead of the majority arm, by too little */
        {0.9, 1.2, SOTTO_STANDING_WINS},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_share share = {NAN, wanted[i].lo, wanted[i].hi};
        if (sotto__standing_of_share(share) != wanted[i].standing) fail_msg("row %zu", i);
    }
}

static void without_a_gain_the_lead_itself_counts(void **state)
{
    (void)state;
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
        sotto_span span = {wanted[i].lo, wanted[i].hi};
        if (sotto__standing_of_lead(span, 0.02) != wanted[i].standing) fail_msg("row %zu", i);
        sotto_span tenth = {wanted[i].lo / 10, wanted[i].hi / 10};
        if (sotto__standing_of_lead(tenth, 0.002) != wanted[i].standing) fail_msg("row %zu", i);
    }
}

/* All 27 cases: rows are those of the method that explores, then of the greedy one, then of the
 * private one, each unknown, wins, fails. */
static void privacy_is_blamed_only_where_greedy_without_it_wins(void **state)
{
    (void)state;
    static const char *const wanted[3][3] = {
        {"?L?", "?LP", "?L?"}, /* nobody knows whether the one that explores wins */
        {"?L?", "?LP", "?LE"}, /* it wins */
        {"?L?", "?LP", "NLN"}, /* it fails */
    };
    for (int x = 0; x < 3; x++) {
        for (int at = 0; at < 9; at++) {
            int g = at / 3, b = at % 3;
            sotto_replay_reason reason = sotto__reason_of(
                (sotto_replay_standing)x, (sotto_replay_standing)g, (sotto_replay_standing)b);
            char letter = "?LNEP"[reason];
            if (letter != wanted[x][g][b]) fail_msg("%d %d %d: %c", x, g, b, letter);
        }
    }
}

static void reasons_have_names(void **state)
{
    (void)state;
    static const char *const wanted[] = {"unknown", "learnt", "no-signal", "exploration",
                                         "privacy"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(sotto_replay_reason_name((sotto_replay_reason)i), wanted[i]);
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Two private methods at two epsilons, then greedy, then the one that explores. */
#define METHODS 6u
static const double epsilons[METHODS] = {4, 0.5, 4, 0.5, INFINITY, INFINITY};

/* Each method is ahead by mean[m], seed by seed a little more or less. */
static sotto_replay_findings findings_of(const double mean[METHODS], double luck,
                                         sotto_replay_share share[METHODS])
{
    static const double by[SEEDS] = {-1, 1, 0, -0.5, 0.5};
    double ahead[METHODS * SEEDS];
    for (uint32_t i = 0; i < METHODS * SEEDS; i++) {
        ahead[i] = mean[i / SEEDS] + luck * by[(i + i / SEEDS) % SEEDS];
    }
    const sotto__leads leads = {METHODS, SEEDS, 5, 4, epsilons, ahead, SOTTO_REPLAY_LEAD};
    sotto_replay_findings findings;
    assert_ok(sotto__findings_of(&leads, share, &findings));
    assert_int_equal(findings.findings_count, 2);
    assert_true(findings.finding[0].epsilon == 4 && findings.finding[1].epsilon == 0.5);
    return findings;
}

static void the_best_private_method_is_judged(void **state)
{
    (void)state;
    const double mean[METHODS] = {-0.3, 0.001, 0.08, -0.2, 0.1, 0.1};
    sotto_replay_share share[METHODS];
    sotto_replay_findings found = findings_of(mean, 0.001, share);
    assert_true(found.gains);
    assert_near(found.gain, 0.1, 1e-12);
    assert_int_equal(found.finding[0].best, 2);
    assert_int_equal(found.finding[0].reason, SOTTO_REASON_LEARNT);
    assert_near(share[2].value, 0.8, 1e-9);
    assert_int_equal(found.finding[1].best, 1);
    assert_int_equal(found.finding[1].reason, SOTTO_REASON_PRIVACY);
    assert_int_equal(found.finding[1].standing, SOTTO_STANDING_FAILS);
    assert_int_equal(found.finding[1].people_needed, 0);
    sotto__findings_free(&found);
    assert_null(found.finding);
    sotto__findings_free(&found);
}

/* The same leads, of which 0.001 of luck tells everything and 0.1 nothing. */
static void luck_decides_nothing(void **state)
{
    (void)state;
    const double mean[METHODS] = {0.08, 0.01, -0.3, -0.3, 0.09, 0.1};
    sotto_replay_share share[METHODS];
    sotto_replay_findings found = findings_of(mean, 0.1, share);
    assert_false(found.gains);
    assert_true(isnan(found.gain) && isnan(share[0].value));
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_UNKNOWN);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_UNKNOWN);
    }
    sotto__findings_free(&found);
}

static void exploration_is_the_reason_where_only_it_wins(void **state)
{
    (void)state;
    const double mean[METHODS] = {0.01, -0.1, -0.3, -0.3, 0.02, 0.1};
    sotto_replay_share share[METHODS];
    sotto_replay_findings found = findings_of(mean, 0.001, share);
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_WINS);
    assert_int_equal(found.greedy_standing, SOTTO_STANDING_FAILS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_EXPLORATION);
    }
    sotto__findings_free(&found);
}

static void where_nobody_wins_there_is_nothing_to_learn(void **state)
{
    (void)state;
    const double mean[METHODS] = {-0.01, -0.1, -0.3, -0.3, 0, -0.001};
    sotto_replay_share share[METHODS];
    sotto_replay_findings found = findings_of(mean, 0.001, share);
    assert_false(found.gains);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.finding[i].reason, SOTTO_REASON_NO_SIGNAL);
    }
    sotto__findings_free(&found);
}

/* With few people the one that explores may still be exploring. */
static void a_greedy_lead_is_the_gain_where_the_other_has_none(void **state)
{
    (void)state;
    const double mean[METHODS] = {0.05, -0.1, -0.3, -0.3, 0.1, -0.2};
    sotto_replay_share share[METHODS];
    sotto_replay_findings found = findings_of(mean, 0.001, share);
    assert_true(found.gains);
    assert_near(found.gain, 0.1, 1e-12);
    assert_near(share[5].value, -2, 1e-9);
    assert_int_equal(found.explorer_standing, SOTTO_STANDING_FAILS);
    assert_int_equal(found.finding[0].reason, SOTTO_REASON_LEARNT);
    assert_int_equal(found.finding[1].reason, SOTTO_REASON_PRIVACY);
    sotto__findings_free(&found);
}

static void without_private_methods_there_are_no_findings(void **state)
{
    (void)state;
    const double ahead[2 * SEEDS] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2};
    const sotto__leads leads = {2, SEEDS, 1, 0, epsilons + 4, ahead, SOTTO_REPLAY_LEAD};
    sotto_replay_share share[2];
    sotto_replay_findings found;
    assert_ok(sotto__findings_of(&leads, share, &found));
    assert_int_equal(found.findings_count, 0);
    assert_near(found.gain, 0.2, 1e-12);
    assert_near(share[0].value, 0.5, 1e-12);
    sotto__findings_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_cannot_be_told),
        cmocka_unit_test(a_share_has_the_error_of_the_ratio),
        cmocka_unit_test(a_quarter_of_the_gain_is_the_threshold),
        cmocka_unit_test(without_a_gain_the_lead_itself_counts),
        cmocka_unit_test(privacy_is_blamed_only_where_greedy_without_it_wins),
        cmocka_unit_test(reasons_have_names),
        cmocka_unit_test(the_best_private_method_is_judged),
        cmocka_unit_test(luck_decides_nothing),
        cmocka_unit_test(exploration_is_the_reason_where_only_it_wins),
        cmocka_unit_test(where_nobody_wins_there_is_nothing_to_learn),
        cmocka_unit_test(a_greedy_lead_is_the_gain_where_the_other_has_none),
        cmocka_unit_test(without_private_methods_there_are_no_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
