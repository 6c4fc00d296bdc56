/* How a method stands next to one arm for all, from intervals by hand. */
#include "lab/replay/verdict.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const sotto_span none = {NAN, NAN}, above = {0.01, 0.2}, below = {-0.2, -0.01},
                        around = {-0.1, 0.1};

static void what_is_not_a_number_is_no_difference(void **state)
{
    (void)state;
    const sotto_estimate known = {0.5, 0.4, 0.6}, unknown = {NAN, NAN, NAN};
    assert_int_equal(sotto__verdict_on_labels(none, none, none), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_int_equal(sotto__verdict_on_log(none, none, unknown, known), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_int_equal(sotto__verdict_on_log(none, none, known, unknown), SOTTO_VERDICT_LIKE_ONE_ARM);
    assert_false(sotto__says_nothing(NAN, NAN, around));
}

/* Mean 2; the standard deviation of 1, 2, 3 is 1. */
static void a_span_is_three_standard_errors_to_both_sides(void **state)
{
    (void)state;
    const double number[] = {1, 2, 3};
    sotto_span span = sotto__span_of(number, 3);
    assert_near(span.lo, 2 - 3 / sqrt(3), 1e-12);
    assert_near(span.hi, 2 + 3 / sqrt(3), 1e-12);
    assert_true(isnan(sotto__span_of(number, 1).lo));
}

/* Both must be beaten; whoever is behind best-arm is worse than one arm for all, whatever hindsight says. */
static void labels_are_judged_by_both_then_by_chance(void **state)
{
    (void)state;
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

/* To beat the logging policy is not enough. */
static void logs_are_judged_by_one_arm_before_the_log_itself(void **state)
{
    (void)state;
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

static void an_interval_that_holds_everything_says_nothing(void **state)
{
    (void)state;
    const sotto_span range = {0, 1};
    assert_true(sotto__says_nothing(-0.7, 2, range));
    assert_true(sotto__says_nothing(0, 1, range));
    assert_false(sotto__says_nothing(0.01, 2, range));
    assert_false(sotto__says_nothing(-0.7, 0.99, range));
}

/* What programs read in CSV and JSON; the longest fits. */
static void each_verdict_has_its_sentence(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        [SOTTO_VERDICT_NONE] = "",
        [SOTTO_VERDICT_FEW_PEOPLE] = "fewer people came than were announced",
        [SOTTO_VERDICT_SORTED] = "the file seems sorted",
        [SOTTO_VERDICT_FEW_SEEDS] = "too few seeds to tell",
        [SOTTO_VERDICT_ONE_LOGGED] = "the log gave one arm only",
        [SOTTO_VERDICT_NOTHING_YET] = "says nothing yet: the interval holds all rewards",
        [SOTTO_VERDICT_BEST_ARM] = "one arm for all: what this epsilon buys without context",
        [SOTTO_VERDICT_ABOVE_ONE_ARM] = "better than one arm for all",
        [SOTTO_VERDICT_BELOW_ONE_ARM] = "worse than one arm for all",
        [SOTTO_VERDICT_BELOW_HINDSIGHT] = "worse than the best arm in hindsight",
        [SOTTO_VERDICT_CHANCE] = "no better than chance",
        [SOTTO_VERDICT_ABOVE_LOGGING] =
            "better than the logging policy, not known to beat one arm for all",
        [SOTTO_VERDICT_LIKE_ONE_ARM] =
            "cannot be told apart from one arm for all with 4294967295 seeds",
    };
    char text[SOTTO_VERDICT_BYTES];
    for (uint32_t v = 0; v < sizeof wanted / sizeof wanted[0]; v++) {
        assert_ptr_equal(sotto_replay_verdict_text((sotto_replay_verdict)v, UINT32_MAX, text),
                         text);
        assert_string_equal(text, wanted[v]);
    }
    sotto_replay_verdict_text(SOTTO_VERDICT_LIKE_ONE_ARM, 0, text);
    assert_string_equal(text, "cannot be told apart from one arm for all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_is_no_difference),
        cmocka_unit_test(a_span_is_three_standard_errors_to_both_sides),
        cmocka_unit_test(labels_are_judged_by_both_then_by_chance),
        cmocka_unit_test(logs_are_judged_by_one_arm_before_the_log_itself),
        cmocka_unit_test(an_interval_that_holds_everything_says_nothing),
        cmocka_unit_test(each_verdict_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
