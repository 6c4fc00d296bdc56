/* Solving with definite, indefinite and singular matrices. */
#include "lab/math/dense.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define N_MAX 30

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    sotto__dense *dense;
    assert_status(sotto__dense_new(SOTTO__DENSE_MAX + 1, &dense), SOTTO_E_LENGTH);
    assert_null(dense);
    assert_status(sotto__dense_new(UINT32_MAX, &dense), SOTTO_E_LENGTH);
    sotto__dense_free(NULL);
}

static void assert_singular(const double *a, double shift)
{
    sotto__dense *dense;
    assert_ok(sotto__dense_new(2, &dense));
    assert_false(sotto__dense_factor(dense, a, shift));
    sotto__dense_free(dense);
}

static void singular_and_infinite_matrices_are_refused(void **state)
{
    (void)state;
    assert_singular((double[]){0, 0, 0}, 0);
    assert_singular((double[]){1, 2, 4}, 0);
    assert_singular((double[]){-3, 0, 5}, 3);
    assert_singular((double[]){NAN, 0, 1}, 0);
    assert_singular((double[]){-1, INFINITY, 1}, 0);
    assert_singular((double[]){1, 0, NAN}, 0);
}

static double form_of(const sotto__dense *dense, const double *x)
{
    double scratch[N_MAX], form;
    sotto__dense_forms(dense, x, 1, scratch, &form);
    return form;
}

/* (1 2; 2 1) has determinant -3 and inverse (-1 2; 2 -1)/3; (5, 1): x = (-5 + 2, 10 - 1)/3.
 * x'A^-1 x = (-25 + 20 - 1)/3. */
static void an_indefinite_matrix_by_hand(void **state)
{
    (void)state;
    const double a[] = {1, 2, 1}, b[] = {5, 1};
    double x[2];
    sotto__dense *dense;
    assert_ok(sotto__dense_new(2, &dense));
    assert_true(sotto__dense_factor(dense, a, 0));
    sotto__dense_solve(dense, b, x);
    assert_near(x[0], -1, 1e-15);
    assert_near(x[1], 3, 1e-15);
    assert_near(form_of(dense, b), -2, 1e-15);
    sotto__dense_free(dense);
}

/* A zero in the corner needs a pivot, of any sign: (0 1; 1 0) swaps, (0 -1; -1 0) also turns. */
static void a_zero_pivot_is_swapped_away(void **state)
{
    (void)state;
    const double b[] = {7, 9};
    double x[2];
    sotto__dense *dense;
    assert_ok(sotto__dense_new(2, &dense));
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_true(sotto__dense_factor(dense, (double[]){0, sign, 0}, 0));
        sotto__dense_solve(dense, b, x);
        assert_near(x[0], 9 * sign, 0);
        assert_near(x[1], 7 * sign, 0);
    }
    sotto__dense_free(dense);
}

/* (1 2; 2 1) + 3 I = (4 2; 2 4) is definite, with inverse (4 -2; -2 4)/12: (1, 0) -> (1/3, -1/6). */
static void the_shift_is_added_and_the_matrix_kept(void **state)
{
    (void)state;
    const double a[] = {1, 2, 1}, b[] = {1, 0};
    double x[2];
    sotto__dense *dense;
    assert_ok(sotto__dense_new(2, &dense));
    for (int again = 0; again < 2; again++) {
        assert_true(sotto__dense_factor(dense, a, 0)); /* another before it leaves no trace */
        assert_true(sotto__dense_factor(dense, a, 3));
        sotto__dense_solve(dense, b, x);
        assert_near(x[0], 1 / 3.0, 1e-15);
        assert_near(x[1], -1 / 6.0, 1e-15);
        assert_near(form_of(dense, b), 1 / 3.0, 1e-15);
    }
    sotto__dense_free(dense);
}

/* Random symmetric matrices, indefinite (shift 0) and definite (shift 40): A x = b again. */
static void assert_solves(uint32_t n, double shift, bool definite)
{
    double a[N_MAX * (N_MAX + 1) / 2], b[N_MAX], x[N_MAX];
    sotto__seeded random;
    sotto__dense *dense;
    sotto__seeded_begin(&random, n);
    for (uint32_t i = 0; i < n * (n + 1) / 2; i++) {
        a[i] = 2 * sotto__uniform(sotto__seeded_next(&random)) - 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        b[i] = 2 * sotto__uniform(sotto__seeded_next(&random)) - 1;
    }
    assert_ok(sotto__dense_new(n, &dense));
    assert_true(sotto__dense_factor(dense, a, shift));
    sotto__dense_solve(dense, b, x);
    double form = 0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = shift * x[i];
        for (uint32_t j = 0; j < n; j++) {
            sum += x[j] * (j <= i ? a[i * (i + 1) / 2 + j] : a[j * (j + 1) / 2 + i]);
        }
        assert_near(sum, b[i], 1e-11);
        form += b[i] * x[i];
    }
    /* of b, and of b and 2 b side by side */
    assert_near(form_of(dense, b), form, 1e-11);
    double rows[2 * N_MAX], scratch[2 * N_MAX], forms[2];
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = b[i];
        rows[n + i] = 2 * b[i];
    }
    sotto__dense_forms(dense, rows, 2, scratch, forms);
    assert_near(forms[0], form, 1e-11);
    assert_near(forms[1], 4 * form, 1e-11);
    if (definite) assert_true(form > 0);
    if (n % 2 == 0) { /* b's first half in one row, its second half in the other */
        memset(rows, 0, sizeof rows);
        memcpy(rows, b, n / 2 * sizeof b[0]);
        memcpy(rows + n + n / 2, b + n / 2, n / 2 * sizeof b[0]);
        double blocks[2];
        sotto__dense_forms(dense, rows, 2, scratch, forms);
        sotto__dense_forms_of_blocks(dense, rows, 2, scratch, blocks);
        assert_memory_equal(blocks, forms, sizeof forms);
    }
    sotto__dense_free(dense);
}

static void random_matrices_are_solved(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= N_MAX; n++) {
        assert_solves(n, 0, false);
        assert_solves(n, 40, true);
        assert_solves(n, -40, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(singular_and_infinite_matrices_are_refused),
        cmocka_unit_test(an_indefinite_matrix_by_hand),
        cmocka_unit_test(a_zero_pivot_is_swapped_away),
        cmocka_unit_test(the_shift_is_added_and_the_matrix_kept),
        cmocka_unit_test(random_matrices_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
