/* Bounds hold for every context and every reward, finite or not. */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

TEST(what_is_not_finite_counts_as_zero)
{
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

TEST(no_vector_is_longer_than_the_bound_or_not_finite)
{
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

TEST(long_vectors_keep_their_direction_and_get_the_bound_as_length)
{
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
TEST(lengths_just_above_the_bound_are_cut)
{
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

TEST(short_vectors_are_left_as_they_are)
{
    const double x[][2] = {{0.6, -0.7}, {1, 0}, {0, -1}, {5e-324, -1e-310}, {-0.0, 0.0}};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        double out[2];
        sotto__clip_vector(x[i], 2, 1, out);
        assert_memory_equal(out, x[i], sizeof out);
    }
}

TEST(many_huge_coordinates_do_not_overflow)
{
    double x[SOTTO_DIM_MAX], out[SOTTO_DIM_MAX];
    for (uint32_t i = 0; i < SOTTO_DIM_MAX; i++) {
        x[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX;
    }
    sotto__clip_vector(x, SOTTO_DIM_MAX, 1, out);
    for (uint32_t i = 0; i < SOTTO_DIM_MAX; i++) {
        assert_near(out[i], i % 2 == 0 ? 0x1p-5 : -0x1p-5, 1e-14);
    }
}

TEST(a_vector_may_be_clipped_in_place)
{
    double x[] = {30, NAN, 40};
    sotto__clip_vector(x, 3, 5, x);
    assert_near(x[0], 3, 1e-12);
    assert_true(x[1] == 0);
    assert_near(x[2], 4, 1e-12);
}

TEST(rows_are_clipped_each_for_itself)
{
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
TEST(one_long_row_of_two_numbers_is_found_among_short_ones)
{
    const double wrong[][2] = {{30, 40}, {NAN, 4}, {3, -INFINITY}, {1e308, 0}, {0, 1e200}};
    const double right[][2] = {{3, 4}, {0, 4}, {3, 0}, {5, 0}, {0, 5}};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        for (size_t at = 0; at < 3; at++) {
            double rows[3][2] = {{3, 4}, {-0.0, 5}, {1e-200, -1}}, out[3][2];
            memcpy(rows[at], wrong[w], sizeof rows[at]);
            sotto__clip_rows(rows[0], 3, 2, 5, out[0]);
            memcpy(rows[at], out[at], sizeof rows[at]);
            assert_memory_equal(out, rows, sizeof rows);
            assert_nears(1e-12, out[at][0], right[w][0], out[at][1], right[w][1]);
        }
    }
}

TEST(rewards_are_clamped_and_missing_ones_replaced)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.reward_lo = -0.5, spec.reward_hi = 2, spec.reward_default = 0.75;
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

/* Contexts without what they have in common, beside the formula in long doubles. */

#define DIM_MAX 40

static double uniform(tape *t)
{
    return sotto__uniform(sotto__seeded_next(&t->seeded)) * 2 - 1;
}

static double length_of(const double *x, uint32_t dim)
{
    long double squares = 0;
    for (uint32_t i = 0; i < dim; i++) {
        squares += (long double)x[i] * x[i];
    }
    return (double)sqrtl(squares);
}

TEST(nothing_is_left_of_a_context_along_a_unit_g)
{
    const double g[] = {0.6, -0.8}, lengths[] = {1, -1, 1e6, 1e-6, 1e-300, 0.1234567890123};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        double x[] = {g[0] * lengths[i], g[1] * lengths[i]};
        sotto__deflate(g, 2, x);
        assert_true(x[0] == 0 && x[1] == 0);
    }
}

/* Rounding leaves a little of it, which must not be taken for a direction. */
TEST(what_rounding_leaves_along_g_is_nothing)
{
    tape t = tape_seeded(6);
    for (int trial = 0; trial < 2000; trial++) {
        uint32_t dim = 2 + (uint32_t)trial % (DIM_MAX - 1);
        double g[DIM_MAX], x[DIM_MAX], size = pow(10, 12 * uniform(&t) - 6);
        for (uint32_t i = 0; i < dim; i++) {
            g[i] = uniform(&t);
        }
        double length = length_of(g, dim);
        for (uint32_t i = 0; i < dim; i++) {
            g[i] /= length;
            x[i] = size * g[i];
        }
        sotto__deflate(g, dim, x);
        assert_true(length_of(x, dim) == 0);
    }
}

TEST(zero_stays_zero)
{
    const double g[] = {0.5, 0.5, -0.5};
    double x[] = {0, 0, 0};
    sotto__deflate(g, 3, x);
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
}

TEST(one_coordinate_keeps_its_sign_or_vanishes)
{
    double x = -0.7;
    const double part = 0.5, all = 1;
    sotto__deflate(&part, 1, &x);
    assert_near(x, -0.7, 1e-15);
    sotto__deflate(&all, 1, &x);
    assert_true(x == 0);
}

TEST(without_g_no_bit_changes)
{
    const double g[] = {0, -0.0, 0}, as_it_was[] = {0.1, -0.0, 0.7 / 3};
    double x[3];
    memcpy(x, as_it_was, sizeof x);
    sotto__deflate(g, 3, x);
    assert_memory_equal(x, as_it_was, sizeof x);
}

/* x~ = ||x|| unit(x - (g . x) g). */
TEST(a_deflated_context_follows_the_formula_at_its_old_length)
{
    tape t = tape_seeded(5);
    for (int trial = 0; trial < 2000; trial++) {
        uint32_t dim = 2 + (uint32_t)trial % (DIM_MAX - 1);
        double g[DIM_MAX], x[DIM_MAX], size = pow(10, 12 * uniform(&t) - 6);
        long double left[DIM_MAX], along = 0, squares = 0;
        for (uint32_t i = 0; i < dim; i++) {
            g[i] = uniform(&t);
            x[i] = size * uniform(&t);
        }
        double shrink = sqrt(0.7 * (1 + uniform(&t)) / 2) / length_of(g, dim);
        for (uint32_t i = 0; i < dim; i++) {
            g[i] *= shrink;
            along += (long double)g[i] * x[i];
        }
        for (uint32_t i = 0; i < dim; i++) {
            left[i] = x[i] - along * g[i];
            squares += left[i] * left[i];
        }
        double length = length_of(x, dim);
        sotto__deflate(g, dim, x);
        for (uint32_t i = 0; i < dim; i++) {
            assert_near(x[i] / length, (double)(left[i] / sqrtl(squares)), 1e-14);
        }
        assert_near(length_of(x, dim) / length, 1, 1e-14);
    }
}

TEST(with_g_of_norm_one_nothing_lies_along_it)
{
    const double g[] = {0, 1, 0};
    double x[] = {0.3, 0.9, -0.4};
    double length = length_of(x, 3);
    sotto__deflate(g, 3, x);
    assert_true(x[1] == 0);
    assert_nears(1e-15, x[0], 0.6 * length, x[2], -0.8 * length);
}
