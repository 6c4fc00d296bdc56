/* Solving with definite, indefinite and singular matrices. */
#include "core/core.h"
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

OWNED(sotto__dense, sotto__dense_free)

#define N_MAX 30

TEST(too_many_rows_are_refused)
{
    sotto__dense *dense;
    assert_status(sotto__dense_new(SOTTO__DENSE_MAX + 1, &dense), SOTTO_E_LENGTH);
    assert_null(dense);
    assert_status(sotto__dense_new(UINT32_MAX, &dense), SOTTO_E_LENGTH);
    sotto__dense_free(NULL);
}

static void assert_singular(const double *a, double shift)
{
    OWN(sotto__dense) dense;
    assert_ok(sotto__dense_new(2, &dense));
    assert_false(sotto__dense_factor(dense, a, shift));
}

TEST(singular_and_infinite_matrices_are_refused)
{
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
TEST(an_indefinite_matrix_by_hand)
{
    const double a[] = {1, 2, 1}, b[] = {5, 1};
    double x[2];
    OWN(sotto__dense) dense;
    assert_ok(sotto__dense_new(2, &dense));
    assert_true(sotto__dense_factor(dense, a, 0));
    sotto__dense_solve(dense, b, x);
    assert_nears(1e-15, x[0], -1, x[1], 3, form_of(dense, b), -2);
}

/* A zero in the corner needs a pivot of either sign: (0 1; 1 0) swaps, (0 -1; -1 0) also
 * negates. */
TEST(a_zero_pivot_is_swapped_away)
{
    const double b[] = {7, 9};
    double x[2];
    OWN(sotto__dense) dense;
    assert_ok(sotto__dense_new(2, &dense));
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_true(sotto__dense_factor(dense, (double[]){0, sign, 0}, 0));
        sotto__dense_solve(dense, b, x);
        assert_nears(0, x[0], 9 * sign, x[1], 7 * sign);
    }
}

/* (1 2; 2 1) + 3 I = (4 2; 2 4) is definite, with inverse (4 -2; -2 4)/12: (1, 0) -> (1/3, -1/6). */
TEST(the_shift_is_added_and_the_matrix_kept)
{
    const double a[] = {1, 2, 1}, b[] = {1, 0};
    double x[2];
    OWN(sotto__dense) dense;
    assert_ok(sotto__dense_new(2, &dense));
    for (int again = 0; again < 2; again++) {
        assert_true(sotto__dense_factor(dense, a, 0)); /* an earlier matrix leaves no trace */
        assert_true(sotto__dense_factor(dense, a, 3));
        sotto__dense_solve(dense, b, x);
        assert_nears(1e-15, x[0], 1 / 3.0, x[1], -1 / 6.0, form_of(dense, b), 1 / 3.0);
    }
}

/* Random symmetric matrices, indefinite (shift 0) and definite (shift 40): A x = b again. */
static void assert_solves(uint32_t n, double shift, bool definite)
{
    double a[N_MAX * (N_MAX + 1) / 2], b[N_MAX], x[N_MAX];
    sotto__seeded random = seeded_of(n);
    OWN(sotto__dense) dense;
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
    assert_nears(1e-11, forms[0], form, forms[1], 4 * form);
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
}

TEST(random_matrices_are_solved)
{
    for (uint32_t n = 1; n <= N_MAX; n++) {
        assert_solves(n, 0, false);
        assert_solves(n, 40, true);
        assert_solves(n, -40, false);
    }
}

TEST(squares_are_added_to_what_is_there)
{
    double a[3] = {1, 10, 100};
    sotto__add_outer(a, (double[]){2, 3}, 2);
    assert_nears(0, a[0], 5, a[1], 16, a[2], 109);
}

/* A factor updated as a matrix grows, compared with fresh factors. */

#define N_MAX_CHOLESKY_UPDATE 20

/* A = 4, x = 3: 4 + 9 = 13. */
TEST(one_row_by_hand)
{
    double factor[1] = {2}, x[1] = {3};
    sotto__cholesky_update(factor, x, 1);
    assert_near(factor[0], sqrt(13), 1e-15);
}

/* L = (1; 2 3), A = (1 2; 2 13), x = (1, 1): A + x x' = (2 3; 3 14), whose factor is
 * (sqrt 2; 3/sqrt 2, sqrt(14 - 4.5)). */
TEST(two_rows_by_hand)
{
    double factor[3] = {1, 2, 3}, x[2] = {1, 1};
    sotto__cholesky_update(factor, x, 2);
    assert_nears(1e-15, factor[0], sqrt(2), factor[1], 3 / sqrt(2), factor[2], sqrt(9.5));
}

TEST(nothing_added_changes_nothing)
{
    double factor[3] = {1, 2, 3}, x[2] = {0, 0};
    sotto__cholesky_update(factor, x, 2);
    assert_true(factor[0] == 1 && factor[1] == 2 && factor[2] == 3);
}

/* I + sum x x' after `rounds`, in sizes from 1e-3 to 1e3. */
static void assert_follows(uint32_t n, uint32_t rounds, double size)
{
    double factor[N_MAX_CHOLESKY_UPDATE * (N_MAX_CHOLESKY_UPDATE + 1) /
                  2] = {0},
                  fresh[N_MAX_CHOLESKY_UPDATE * (N_MAX_CHOLESKY_UPDATE + 1) / 2] = {0};
    sotto__seeded random = seeded_of(n);
    for (uint32_t i = 0; i < n; i++) {
        factor[sotto__tri_count(i) + i] = fresh[sotto__tri_count(i) + i] = 1;
    }
    for (uint32_t t = 0; t < rounds; t++) {
        double x[N_MAX_CHOLESKY_UPDATE];
        for (uint32_t i = 0; i < n; i++) {
            x[i] = size * (2 * sotto__uniform(sotto__seeded_next(&random)) - 1);
        }
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j <= i; j++) {
                fresh[sotto__tri_count(i) + j] += x[i] * x[j];
            }
        }
        sotto__cholesky_update(factor, x, n);
    }
    assert_true(sotto__cholesky(fresh, n));
    for (uint32_t i = 0; i < sotto__tri_count(n); i++) {
        assert_near(factor[i], fresh[i], 1e-12 * fresh[sotto__tri_count(n) - 1]);
    }
}

TEST(it_follows_a_growing_matrix)
{
    const uint32_t sizes[] = {1, 2, 3, 8, N_MAX_CHOLESKY_UPDATE};
    for (int i = 0; i < 5; i++) {
        assert_follows(sizes[i], 1000, 1);
        assert_follows(sizes[i], 100, 1e-3);
        assert_follows(sizes[i], 100, 1e3);
    }
}

/* Extreme eigenvalues: edges, closed forms, and matrices made from known ones. */

#define N_MAX_EIGEN 60
#define TRI_MAX (N_MAX_EIGEN * (N_MAX_EIGEN + 1) / 2)

static void assert_extremes(const double *a, uint32_t n, double smallest, double largest)
{
    double copy[TRI_MAX], scratch[2 * N_MAX_EIGEN];
    memcpy(copy, a, sotto__tri_count(n) * sizeof *a);
    sotto__extremes got = sotto__eigen_extremes(copy, n, scratch);
    double tolerance = 1e-13 * fmax(fabs(smallest), fabs(largest));
    assert_nears(tolerance, got.smallest, smallest, got.largest, largest);
}

TEST(small_and_singular_matrices_have_theirs)
{
    assert_extremes((double[]){-3}, 1, -3, -3);
    assert_extremes((double[]){0}, 1, 0, 0);
    assert_extremes((double[]){2, 1, 2}, 2, 1, 3);
    assert_extremes((double[]){2, -1, 2}, 2, 1, 3);
    assert_extremes((double[]){0, 1, 0}, 2, -1, 1);
    assert_extremes((double[]){1, 0, 4}, 2, 1, 4);
    assert_extremes((double[]){0, 0, 0, 0, 0, 0}, 3, 0, 0);
    assert_extremes((double[]){1, 1, 1, 1, 1, 1}, 3, 0, 3);   /* rank 1 */
    assert_extremes((double[]){5, 0, -2, 0, 0, 1}, 3, -2, 5); /* diagonal */
    assert_extremes((double[]){0, 0, 0, 1, 0, 0}, 3, -1, 1);  /* zeros inside */
    assert_extremes((double[]){1e12, 0, 1e-12}, 2, 1e-12, 1e12);
    assert_extremes((double[]){1, 1e-6, 1}, 2, 1 - 1e-6, 1 + 1e-6); /* nearly diagonal */
}

/* 2 on the diagonal, -1 beside it: 2 - 2 cos(k pi/(n+1)). */
TEST(a_chain_has_its_closed_form)
{
    for (uint32_t n = 1; n <= N_MAX_EIGEN; n++) {
        double a[TRI_MAX] = {0};
        for (uint32_t i = 0; i < n; i++) {
            a[sotto__tri_count(i) + i] = 2;
            if (i > 0) a[sotto__tri_count(i) + i - 1] = -1;
        }
        assert_extremes(a, n, 2 - 2 * cos(M_PI / (n + 1)), 2 - 2 * cos(n * M_PI / (n + 1)));
    }
}

/* A <- Q A Q, Q = I - 2 w w', on a full matrix: the eigenvalues stay. */
static void reflect(double a[N_MAX_EIGEN][N_MAX_EIGEN], uint32_t n, sotto__seeded *seeded)
{
    double w[N_MAX_EIGEN];
    for (uint32_t i = 0; i < n; i++) {
        w[i] = sotto__uniform(sotto__seeded_next(seeded)) - 0.5;
    }
    double norm = sotto__norm(w, n);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < n; i++) {
            double along = sotto__dot(a[i], w, n) / (norm * norm);
            for (uint32_t j = 0; j < n; j++) {
                a[i][j] -= 2 * along * w[j];
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < i; j++) {
                double swap = a[i][j];
                a[i][j] = a[j][i];
                a[j][i] = swap;
            }
        }
    }
}

TEST(rotated_diagonals_keep_their_eigenvalues)
{
    sotto__seeded seeded = seeded_of(4);
    for (uint32_t n = 2; n <= N_MAX_EIGEN; n++) {
        double a[N_MAX_EIGEN][N_MAX_EIGEN] = {{0}}, packed[TRI_MAX];
        for (uint32_t i = 0; i < n; i++) {
            a[i][i] = i == n / 2 ? -2 : (i == 0 ? 3 : sotto__uniform(sotto__seeded_next(&seeded)));
        }
        for (int r = 0; r < 3; r++) {
            reflect(a, n, &seeded);
        }
        for (uint32_t i = 0; i < n; i++) {
            memcpy(packed + sotto__tri_count(i), a[i], (i + 1) * sizeof(double));
        }
        assert_extremes(packed, n, -2, 3);
    }
}
