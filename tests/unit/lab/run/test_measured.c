/* Measure rounds over the runs of a match: numbers by hand. */
#include "comparisons.h"
#include "lab/run/measured.h"
#include "test.h"

#include <math.h>

static void take(sotto__results *results, const sotto__comparison *comparison, uint64_t run,
                 sotto_interval uplift, double truth)
{
    small_take(results, comparison, run);
    results->measured[run] =
        (sotto_run_measurement){.there = true, .seen = {.uplift = uplift}, .uplift = truth};
}

static void without_measure_rounds_there_is_no_line(void **state)
{
    (void)state;
    sotto__comparison comparison;
    sotto__results results;
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    assert_null(results.measured);
    sotto__measured_line line = sotto__measured_of(&comparison, &results, 0);
    assert_int_equal(line.runs, 0);
    assert_true(isnan(line.uplift) && isnan(line.truth));
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

static void runs_are_counted_by_match(void **state)
{
    (void)state;
    sotto__comparison comparison;
    sotto__results results;
    small_comparison_new(&comparison);
    comparison.match[1].spec.version = 2;
    comparison.match[1].spec.measure = 1u << 30;
    assert_ok(sotto__results_new(&comparison, &results));
    assert_non_null(results.measured);
    /* Match 1: a run without reports of both roles, one that holds and is told, one that fails. */
    take(&results, &comparison, 3, (sotto_interval){NAN, -2, 2}, NAN);
    take(&results, &comparison, 4, (sotto_interval){0.5, 0.25, 0.75}, 0.25);
    take(&results, &comparison, 5, (sotto_interval){0.25, 0, 0.5}, 0.75);
    sotto__measured_line line = sotto__measured_of(&comparison, &results, 1);
    assert_int_equal(line.runs, 2);
    assert_int_equal(line.first, 4);
    assert_int_equal(line.held, 1);
    assert_int_equal(line.told, 1);
    assert_true(line.uplift == 0.375 && line.truth == 0.5);
    assert_int_equal(sotto__measured_of(&comparison, &results, 0).runs, 0);
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

static void devices_allow_a_tenth_by_themselves(void **state)
{
    (void)state;
    assert_true(sotto__measure_share_usual() == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_allow_a_tenth_by_themselves),
        cmocka_unit_test(without_measure_rounds_there_is_no_line),
        cmocka_unit_test(runs_are_counted_by_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
