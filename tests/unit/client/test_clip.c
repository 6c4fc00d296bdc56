/* Bounds hold for every context and every reward, finite or not. */
#include "client/clip.h"
#include "core/linalg.h"
#include "test.h"

#include <float.h>
#include <math.h>

static const double extremes[] = {
    NAN,   INFINITY, -INFINITY, 0.0,      -0.0,   DBL_MAX, -DBL_MAX, 1e308,  -1e308, 1e160, 1e151,
    1e150, 1e149,    DBL_MIN,   -DBL_MIN, 5e-324, 1e-320,  1,        -0.625, 1e6,    1e-6,
};
#define EXTREMES (sizeof extremes / sizeof extremes[0])

static double plain_norm(const double *x, uint32_t dim)
{
    double norm = 0;
    for (uint32_t i = 0; i < dim; i++) {
        norm = hypot(norm, x[i]);
    }
    return norm;
}

static void what_is_not_finite_counts_as_zero(void **state)
{
    (void)state;
    const double x[] = {NAN, 0.25, INFINITY, -0.5, -INFINITY};
    double out[5];
    sotto__clip_vector(x, 5, 1, out);
    const double wanted[] = {0, 0.25, 0, -0.5, 0};
    assert_memory_equal(out, wanted, sizeof wanted);
    assert_true(sotto__finite_or_zero(NAN) == 0);
    assert_true(sotto__finite_or_zero(INFINITY) == 0);
    assert_true(sotto__finite_or_zero(-INFINITY) == 0);
    assert_true(sotto__finite_or_zero(DBL_MAX) == DBL_MAX);
    assert_true(sotto__finite_or_zero(-5e-324) == -5e-324);
}

static void no_vector_is_longer_than_the_bound_or_not_finite(void **state)
{
    (void)state;
    const double norms[] = {1e-6, 0.7, 1, 1e6};
    for (size_t a = 0; a < EXTREMES * EXTREMES * EXTREMES; a++) {
        const double x[] = {extremes[a % EXTREMES], extremes[a / EXTREMES % EXTREMES],
                            extremes[a / EXTREMES / EXTREMES]};
        for (size_t n = 0; n < 4; n++) {
            double out[3];
            sotto__clip_vector(x, 3, norms[n], out);
            assert_true(plain_norm(out, 3) <= norms[n] * (1 + 1e-12));
        }
    }
}

static void long_vectors_keep_their_direction_and_get_the_bound_as_length(void **state)
{
    (void)state;
    const double scales[] = {1, 10, 1e100, 1e149, 1e150, 2e150, 1e200, 5e307};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        const double x[] = {3 * scales[s], 0, -1 * scales[s]};
        double out[3];
        sotto__clip_vector(x, 3, 2, out);
        assert_near(out[0], 6 / sqrt(10), 1e-12);
        assert_true(out[1] == 0);
        assert_near(out[2], -2 / sqrt(10), 1e-12);
    }
}

/* What is called within rounding of the bound is: 2^-51 of the square, and the last bits of a sum.
 */
static void lengths_just_above_the_bound_are_cut(void **state)
{
    (void)state;
    const double norms[] = {1e-6, 0.7, 1, 1e6}, above[] = {4e-15, 1e-14, 1e-12, 1e-9, 1e-3, 0.1};
    for (uint32_t i = 0; i < 4 * 6; i++) {
        double norm_max = norms[i % 4], length = norm_max * (1 + above[i / 4]);
        const double x[][3] = {{length, 0, 0},
                               {0, -0.6 * length, 0.8 * length},
                               {length * 2 / 3, length / 3, -length * 2 / 3}};
        for (int v = 0; v < 3; v++) {
            double out[3];
            sotto__clip_vector(x[v], 3, norm_max, out);
            assert_true(plain_norm(out, 3) <= norm_max * (1 + 0x1p-50));
            assert_true(plain_norm(out, 3) >= norm_max * (1 - 0x1p-50));
        }
    }
}

static void short_vectors_are_left_as_they_are(void **state)
{
    (void)state;
    const double x[][2] = {{0.6, -0.7}, {1, 0}, {0, -1}, {5e-324, -1e-310}, {-0.0, 0.0}};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        double out[2];
        sotto__clip_vector(x[i], 2, 1, out);
        assert_memory_equal(out, x[i], sizeof out);
    }
}

static void many_huge_coordinates_do_not_overflow(void **state)
{
    (void)state;
    double x[SOTTO_DIM_MAX], out[SOTTO_DIM_MAX];
    for (uint32_t i = 0; i < SOTTO_DIM_MAX; i++) {
        x[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX;
    }
    sotto__clip_vector(x, SOTTO_DIM_MAX, 1, out);
    for (uint32_t i = 0; i < SOTTO_DIM_MAX; i++) {
        assert_near(out[i], i % 2 == 0 ? 0x1p-5 : -0x1p-5, 1e-14);
    }
}

static void a_vector_may_be_clipped_in_place(void **state)
{
    (void)state;
    double x[] = {30, NAN, 40};
    sotto__clip_vector(x, 3, 5, x);
    assert_near(x[0], 3, 1e-12);
    assert_true(x[1] == 0);
    assert_near(x[2], 4, 1e-12);
}

static void rows_are_clipped_each_for_itself(void **state)
{
    (void)state;
    const double rows[4][3] = {{1, 2, 2}, {30, NAN, 40}, {0, 0, 0}, {INFINITY, 1, 0}};
    double out[5][3] = {{0}, {0}, {0}, {0}, {9, 9, 9}}, alone[3];
    sotto__clip_rows(rows[0], 4, 3, 5, out[0]);
    for (int r = 0; r < 4; r++) {
        sotto__clip_vector(rows[r], 3, 5, alone);
        assert_memory_equal(out[r], alone, sizeof alone);
    }
    assert_true(out[0][1] == 2 && out[1][1] == 0 && out[4][0] == 9);
    assert_near(out[1][0], 3, 1e-12);
}

/* All rows of a plane are looked at together: one that is wrong must be found wherever it stands. */
static void one_long_row_of_two_numbers_is_found_among_short_ones(void **state)
{
    (void)state;
    const double wrong[][2] = {{30, 40}, {NAN, 4}, {3, -INFINITY}, {1e308, 0}, {0, 1e200}};
    const double right[][2] = {{3, 4}, {0, 4}, {3, 0}, {5, 0}, {0, 5}};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        for (size_t at = 0; at < 3; at++) {
            double rows[3][2] = {{3, 4}, {-0.0, 5}, {1e-200, -1}}, out[3][2];
            memcpy(rows[at], wrong[w], sizeof rows[at]);
            sotto__clip_rows(rows[0], 3, 2, 5, out[0]);
            memcpy(rows[at], out[at], sizeof rows[at]);
            assert_memory_equal(out, rows, sizeof rows);
            assert_near(out[at][0], right[w][0], 1e-12);
            assert_near(out[at][1], right[w][1], 1e-12);
        }
    }
}

static void rewards_are_clamped_and_missing_ones_replaced(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.reward_lo = -0.5;
    spec.reward_hi = 2;
    spec.reward_default = 0.75;
    assert_true(sotto__clip_reward(&spec, NAN) == 0.75);
    assert_true(sotto__clip_reward(&spec, -NAN) == 0.75);
    assert_true(sotto__clip_reward(&spec, INFINITY) == 0.75);
    assert_true(sotto__clip_reward(&spec, -INFINITY) == 0.75);
    assert_true(sotto__clip_reward(&spec, DBL_MAX) == 2);
    assert_true(sotto__clip_reward(&spec, -1e308) == -0.5);
    assert_true(sotto__clip_reward(&spec, nextafter(2, 3)) == 2);
    assert_true(sotto__clip_reward(&spec, 2) == 2);
    assert_true(sotto__clip_reward(&spec, -0.5) == -0.5);
    assert_true(sotto__clip_reward(&spec, 5e-324) == 5e-324);
    assert_true(sotto__clip_reward(&spec, 0.3) == 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_finite_counts_as_zero),
        cmocka_unit_test(no_vector_is_longer_than_the_bound_or_not_finite),
        cmocka_unit_test(long_vectors_keep_their_direction_and_get_the_bound_as_length),
        cmocka_unit_test(lengths_just_above_the_bound_are_cut),
        cmocka_unit_test(short_vectors_are_left_as_they_are),
        cmocka_unit_test(many_huge_coordinates_do_not_overflow),
        cmocka_unit_test(a_vector_may_be_clipped_in_place),
        cmocka_unit_test(rows_are_clipped_each_for_itself),
        cmocka_unit_test(one_long_row_of_two_numbers_is_found_among_short_ones),
        cmocka_unit_test(rewards_are_clamped_and_missing_ones_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
