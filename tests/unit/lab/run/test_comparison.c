/* Comparisons: their memory, and the usual check-points. */
#include "comparisons.h"
#include "lab/run/comparison.h"
#include "scarce.h"
#include "test.h"

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    for (uint32_t calls = 0; calls < 3; calls++) {
        sotto__comparison comparison;
        calls_left = calls;
        assert_status(sotto__comparison_new(2, &comparison), SOTTO_E_MEMORY);
        calls_left = UINT32_MAX;
        assert_null(comparison.match);
        assert_null(comparison.epsilon);
        assert_null(comparison.at);
    }
}

static void freeing_twice_is_freeing_once(void **state)
{
    (void)state;
    sotto__comparison comparison;
    small_comparison_new(&comparison);
    sotto__comparison_free(&comparison);
    sotto__comparison_free(&comparison);
    assert_null(comparison.sweep.match);
}

static void the_sweep_borrows_the_arrays(void **state)
{
    (void)state;
    sotto__comparison comparison;
    small_comparison_new(&comparison);
    assert_ptr_equal(comparison.sweep.match, comparison.match);
    assert_ptr_equal(comparison.sweep.at, comparison.at);
    sotto__comparison_free(&comparison);
}

static void a_run_plays_the_match_of_its_block_of_seeds(void **state)
{
    (void)state;
    sotto__comparison comparison;
    small_comparison_new(&comparison);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        assert_ptr_equal(sotto__comparison_match(&comparison, run),
                         comparison.match + run / SMALL_SEEDS);
    }
    sotto__comparison_free(&comparison);
}

static void usual_points_are_1_2_5_10_below_the_horizon(void **state)
{
    (void)state;
    uint64_t at[SOTTO_POINTS_MAX];
    const uint64_t wanted[] = {1, 2, 5, 10, 20, 50};
    assert_int_equal(sotto__usual_points(1, at), 0);
    assert_int_equal(sotto__usual_points(2, at), 1);
    assert_int_equal(sotto__usual_points(51, at), 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(at[i], wanted[i]);
    }
    assert_int_equal(sotto__usual_points(50, at), 5);
    assert_int_equal(sotto__usual_points(SOTTO_HORIZON_MAX, at), 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(freeing_twice_is_freeing_once),
        cmocka_unit_test(the_sweep_borrows_the_arrays),
        cmocka_unit_test(a_run_plays_the_match_of_its_block_of_seeds),
        cmocka_unit_test(usual_points_are_1_2_5_10_below_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
