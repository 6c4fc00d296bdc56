/* Contexts without what they have in common, beside the formula in long doubles. */
#include "client/deflate.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <string.h>

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

static void nothing_is_left_of_a_context_along_a_unit_g(void **state)
{
    (void)state;
    const double g[] = {0.6, -0.8}, lengths[] = {1, -1, 1e6, 1e-6, 1e-300, 0.1234567890123};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        double x[] = {g[0] * lengths[i], g[1] * lengths[i]};
        sotto__deflate(g, 2, x);
        assert_true(x[0] == 0 && x[1] == 0);
    }
}

/* Rounding leaves a little of it, which must not be taken for a direction. */
static void what_rounding_leaves_is_nothing(void **state)
{
    (void)state;
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

static void zero_stays_zero(void **state)
{
    (void)state;
    const double g[] = {0.5, 0.5, -0.5};
    double x[] = {0, 0, 0};
    sotto__deflate(g, 3, x);
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
}

static void one_coordinate_keeps_its_sign_or_vanishes(void **state)
{
    (void)state;
    double x = -0.7;
    const double part = 0.5, all = 1;
    sotto__deflate(&part, 1, &x);
    assert_near(x, -0.7, 1e-15);
    sotto__deflate(&all, 1, &x);
    assert_true(x == 0);
}

static void without_g_no_bit_changes(void **state)
{
    (void)state;
    const double g[] = {0, -0.0, 0}, as_it_was[] = {0.1, -0.0, 0.7 / 3};
    double x[3];
    memcpy(x, as_it_was, sizeof x);
    sotto__deflate(g, 3, x);
    assert_memory_equal(x, as_it_was, sizeof x);
}

/* x~ = ||x|| unit(x - (g . x) g). */
static void it_is_the_formula_at_the_old_length(void **state)
{
    (void)state;
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

static void with_g_of_norm_one_nothing_lies_along_it(void **state)
{
    (void)state;
    const double g[] = {0, 1, 0};
    double x[] = {0.3, 0.9, -0.4};
    double length = length_of(x, 3);
    sotto__deflate(g, 3, x);
    assert_true(x[1] == 0);
    assert_near(x[0], 0.6 * length, 1e-15);
    assert_near(x[2], -0.8 * length, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_of_a_context_along_a_unit_g),
        cmocka_unit_test(what_rounding_leaves_is_nothing),
        cmocka_unit_test(zero_stays_zero),
        cmocka_unit_test(one_coordinate_keeps_its_sign_or_vanishes),
        cmocka_unit_test(without_g_no_bit_changes),
        cmocka_unit_test(it_is_the_formula_at_the_old_length),
        cmocka_unit_test(with_g_of_norm_one_nothing_lies_along_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
