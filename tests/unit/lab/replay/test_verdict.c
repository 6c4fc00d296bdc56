/* How a method stands next to what needs no learning, from intervals by hand. */
#include "lab/replay/verdict.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void what_is_not_a_number_is_no_difference(void **state)
{
    (void)state;
    const sotto_span none = {NAN, NAN};
    const sotto_estimate known = {0.5, 0.4, 0.6}, unknown = {NAN, NAN, NAN};
    assert_int_equal(sotto__verdict_on_labels(none, none), SOTTO_VERDICT_LIKE_MAJORITY);
    assert_int_equal(sotto__verdict_on_log(unknown, known), SOTTO_VERDICT_LIKE_LOGGING);
    assert_int_equal(sotto__verdict_on_log(known, unknown), SOTTO_VERDICT_LIKE_LOGGING);
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

static void labels_are_judged_by_the_majority_arm_then_by_chance(void **state)
{
    (void)state;
    const struct {
        sotto_span ahead, chance;
        sotto_replay_verdict verdict;
    } wanted[] = {
        {{0.01, 0.2}, {0.1, 0.3}, SOTTO_VERDICT_ABOVE_MAJORITY},
        {{0.01, 0.2}, {-0.01, 0.02}, SOTTO_VERDICT_ABOVE_MAJORITY},
        {{0, 0.2}, {0.1, 0.3}, SOTTO_VERDICT_LIKE_MAJORITY},
        {{-0.2, 0}, {0.1, 0.3}, SOTTO_VERDICT_LIKE_MAJORITY},
        {{-0.2, -0.1}, {0.1, 0.3}, SOTTO_VERDICT_BELOW_MAJORITY},
        {{-0.2, -0.1}, {-0.01, 0.02}, SOTTO_VERDICT_CHANCE},
        {{-0.2, 0.1}, {0, 0.049}, SOTTO_VERDICT_CHANCE},
        {{-0.2, 0.1}, {-0.01, 0.05}, SOTTO_VERDICT_LIKE_MAJORITY},   /* it may be far above */
        {{-0.2, -0.1}, {0.001, 0.02}, SOTTO_VERDICT_BELOW_MAJORITY}, /* and here it is above */
        {{-0.4, -0.3}, {-0.2, -0.1}, SOTTO_VERDICT_BELOW_MAJORITY},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_replay_verdict got = sotto__verdict_on_labels(wanted[i].ahead, wanted[i].chance);
        if (got != wanted[i].verdict) fail_msg("row %zu: %d", i, (int)got);
    }
}

static void intervals_of_a_log_that_meet_tell_nothing(void **state)
{
    (void)state;
    const sotto_estimate low = {0.2, 0.1, 0.3}, middle = {0.4, 0.3, 0.5}, high = {0.7, 0.6, 0.8};
    assert_int_equal(sotto__verdict_on_log(high, low), SOTTO_VERDICT_ABOVE_LOGGING);
    assert_int_equal(sotto__verdict_on_log(low, high), SOTTO_VERDICT_BELOW_LOGGING);
    assert_int_equal(sotto__verdict_on_log(middle, low), SOTTO_VERDICT_LIKE_LOGGING);
    assert_int_equal(sotto__verdict_on_log(low, middle), SOTTO_VERDICT_LIKE_LOGGING);
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
        [SOTTO_VERDICT_ABOVE_MAJORITY] = "better than the majority arm",
        [SOTTO_VERDICT_CHANCE] = "no better than chance",
        [SOTTO_VERDICT_BELOW_MAJORITY] = "worse than the majority arm",
        [SOTTO_VERDICT_LIKE_MAJORITY] =
            "cannot be told apart from the majority arm with 4294967295 seeds",
        [SOTTO_VERDICT_ABOVE_LOGGING] = "better than the logging policy",
        [SOTTO_VERDICT_BELOW_LOGGING] = "worse than the logging policy",
        [SOTTO_VERDICT_LIKE_LOGGING] = "cannot be told apart from the logging policy",
    };
    char text[SOTTO_VERDICT_BYTES];
    for (uint32_t v = 0; v < sizeof wanted / sizeof wanted[0]; v++) {
        assert_ptr_equal(sotto_replay_verdict_text((sotto_replay_verdict)v, UINT32_MAX, text),
                         text);
        assert_string_equal(text, wanted[v]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_is_no_difference),
        cmocka_unit_test(a_span_is_three_standard_errors_to_both_sides),
        cmocka_unit_test(labels_are_judged_by_the_majority_arm_then_by_chance),
        cmocka_unit_test(intervals_of_a_log_that_meet_tell_nothing),
        cmocka_unit_test(each_verdict_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
