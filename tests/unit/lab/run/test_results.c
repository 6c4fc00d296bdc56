/* Results: what is known of each run. */
#include "comparisons.h"
#include "lab/run/results.h"
#include "scarce.h"
#include "test.h"

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    sotto__comparison comparison;
    sotto__results results;
    small_comparison_new(&comparison);
    comparison.match[3].spec.measure = 1u << 30; /* one more to allocate */
    for (uint32_t calls = 0; calls < 3; calls++) {
        calls_left = calls;
        assert_status(sotto__results_new(&comparison, &results), SOTTO_E_MEMORY);
        calls_left = UINT32_MAX;
        assert_null(results.run);
        assert_null(results.point);
        assert_null(results.measured);
    }
    sotto__comparison_free(&comparison);
}

static void nothing_is_done_before_a_run_is_taken(void **state)
{
    (void)state;
    sotto__comparison comparison;
    sotto__results results;
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    assert_int_equal(results.done_count, 0);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        assert_false(results.run[run].done);
    }
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

static void a_run_that_was_taken_is_where_it_belongs_and_nowhere_else(void **state)
{
    (void)state;
    sotto__comparison comparison;
    sotto__results results;
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    small_take(&results, &comparison, 5);
    small_take(&results, &comparison, 11);
    assert_int_equal(results.done_count, 2);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        bool taken = run == 5 || run == 11;
        const sotto_point *point = sotto__results_points(&results, run);
        assert_int_equal(results.run[run].done, taken);
        assert_int_equal(results.run[run].played, taken);
        assert_int_equal(results.run[run].repairs, taken ? run : 0);
        assert_true(point[1].regret == (taken ? (double)(run + 1) * 400 : 0));
        assert_int_equal(point[0].t, taken ? 10 : 0);
    }
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(nothing_is_done_before_a_run_is_taken),
        cmocka_unit_test(a_run_that_was_taken_is_where_it_belongs_and_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
