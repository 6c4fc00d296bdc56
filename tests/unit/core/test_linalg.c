/* Packed Cholesky against dense algebra, and norms at both ends of the range of doubles. */
#include "core/core.h"
#include "lab/random/random.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define N_MAX 24

/* Numbers in [-1, 1) from a multiplicative generator: any spread will do. */
static double next_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1;
}

/* A = G G' + I/2, dense, with G random. */
static void random_positive(uint64_t *seed, uint32_t n, double a[N_MAX][N_MAX])
{
    double g[N_MAX][N_MAX];
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            g[i][j] = next_number(seed);
        }
    }
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t row = i / n, column = i % n;
        a[row][column] = row == column ? 0.5 : 0;
        for (uint32_t k = 0; k < n; k++) {
            a[row][column] += g[row][k] * g[column][k];
        }
    }
}

static void pack(double a[N_MAX][N_MAX], uint32_t n, double *packed)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            packed[i * (i + 1) / 2 + j] = a[i][j];
        }
    }
}

/* x = A^-1 b by Gauss elimination with row pivots: another road than Cholesky. */
static void dense_solve(double a[N_MAX][N_MAX], const double *b, double *x, uint32_t n)
{
    memcpy(x, b, n * sizeof *x);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++) {
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        }
        for (uint32_t j = 0; j < n; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (uint32_t i = 0; i < n; i++) {
            double ratio = i == k ? 0 : a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; j++) {
                a[i][j] -= ratio * a[k][j];
            }
            x[i] -= ratio * x[k];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        x[k] /= a[k][k];
    }
}

TEST(matrices_that_are_not_positive_definite_are_refused)
{
    double zero[1] = {0}, negative[1] = {-1}, minus_zero[1] = {-0.0};
    double nan[1] = {NAN}, infinite[1] = {INFINITY};
    assert_false(sotto__cholesky(zero, 1));
    assert_false(sotto__cholesky(minus_zero, 1));
    assert_false(sotto__cholesky(negative, 1));
    assert_false(sotto__cholesky(nan, 1));
    assert_false(sotto__cholesky(infinite, 1));
    double singular[3] = {1, 1, 1}, indefinite[3] = {1, 2, 1}, nan_below[3] = {1, NAN, 1};
    double overflowing[3] = {1, 1e308, 1e308};
    assert_false(sotto__cholesky(singular, 2));
    assert_false(sotto__cholesky(indefinite, 2));
    assert_false(sotto__cholesky(nan_below, 2));
    assert_false(sotto__cholesky(overflowing, 2));
}

TEST(nothing_is_a_matrix_of_no_rows)
{
    assert_ints(sotto__tri_count(0), 0, sotto__tri_count(1), 1, sotto__tri_count(1024), 524800);
    assert_true(sotto__cholesky(NULL, 0));
    assert_true(sotto__dot(NULL, NULL, 0) == 0);
    assert_true(sotto__norm(NULL, 0) == 0);
}

TEST(norms_neither_overflow_nor_underflow)
{
    const double huge[2] = {1e308, 1e308};
    assert_near(sotto__norm(huge, 2) / 1e308, sqrt(2), 1e-15);
    const double largest[1] = {-DBL_MAX};
    assert_true(sotto__norm(largest, 1) == DBL_MAX);
    const double denormal[2] = {3 * 0x1p-1074, -4 * 0x1p-1074};
    assert_true(sotto__norm(denormal, 2) == 5 * 0x1p-1074);
    const double smallest[3] = {0, -0x1p-1074, 0};
    assert_true(sotto__norm(smallest, 3) == 0x1p-1074);
    const double small[2] = {3e-170, 4e-170};
    assert_near(sotto__norm(small, 2) / 5e-170, 1, 1e-15);
    const double mixed[3] = {1e-300, 1e200, -0x1p-1074};
    assert_near(sotto__norm(mixed, 3) / 1e200, 1, 1e-15);
    const double zeros[3] = {0, -0.0, 0};
    assert_true(sotto__norm(zeros, 3) == 0);
    const double plain[4] = {1, -2, 4, 10};
    assert_true(sotto__norm(plain, 4) == 11);
}

TEST(dot_products_count_every_entry_once)
{
    const double x[4] = {1, 10, 100, 1000}, y[4] = {2, -3, 5, 7};
    assert_true(sotto__dot(x, y, 4) == 7472);
    assert_true(sotto__dot(x, y, 3) == 472);
}

TEST(products_of_rows)
{
    for (uint32_t n = 1; n <= N_MAX; n++) {
        double rows[3 * N_MAX], y[N_MAX], out[4] = {0, 0, 0, 9};
        for (uint32_t i = 0; i < 3 * n; i++) {
            rows[i] = i + 1;
            y[i % n] = i % n % 2 == 0 ? 1 : -2;
        }
        sotto__rows_dot(rows, y, 3, n, out);
        for (uint32_t r = 0; r < 3; r++) {
            double sum = 0; /* whole numbers: exact in any order */
            for (uint32_t i = 0; i < n; i++) {
                sum += rows[r * n + i] * y[i];
            }
            assert_true(out[r] == sum);
        }
        assert_true(out[3] == 9);
    }
}

TEST(what_is_not_a_number_counts_as_minus_infinity)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        double nan = copysign(NAN, sign);
        assert_int_equal(sotto__largest((double[]){nan, -DBL_MAX}, 2), 1);
        assert_int_equal(sotto__largest((double[]){-DBL_MAX, nan}, 2), 0);
        assert_int_equal(sotto__largest((double[]){nan, nan, -1, nan}, 4), 2);
        assert_int_equal(sotto__largest((double[]){nan, nan}, 2), 0);
        assert_int_equal(sotto__largest((double[]){nan, -INFINITY}, 2), 0);
    }
}

TEST(the_first_of_the_largest)
{
    static const double rising[] = {-INFINITY, -DBL_MAX,  -1.5, -1,  -0x1p-1022, -0x1p-1074, 0,
                                    0x1p-1074, 0x1p-1022, 1,    1.5, DBL_MAX,    INFINITY};
    for (size_t i = 0; i < sizeof rising / sizeof rising[0]; i++) {
        for (size_t j = 0; j < sizeof rising / sizeof rising[0]; j++) {
            double pair[2] = {rising[i], rising[j]};
            assert_int_equal(sotto__largest(pair, 2), j > i);
        }
    }
    assert_int_equal(sotto__largest((double[]){3}, 1), 0);
    assert_int_equal(sotto__largest((double[]){-1, -0., 0}, 3), 1); /* two zeros are equal */
    assert_int_equal(sotto__largest((double[]){-1, 0, -0.}, 3), 1);
    /* all rows of one to eight numbers of three kinds, so that ties stand in every place */
    for (uint32_t n = 1, rows = 3; n <= 8; n++, rows *= 3) {
        for (uint32_t row = 0; row < rows; row++) {
            double x[8];
            uint32_t first = 0;
            for (uint32_t i = 0, digits = row; i < n; i++, digits /= 3) {
                x[i] = (double)(digits % 3) - 2;
                if (x[i] > x[first]) first = i;
            }
            assert_int_equal(sotto__largest(x, n), first);
        }
    }
}

TEST(the_factor_times_its_transpose_is_the_matrix)
{
    uint64_t seed = 1;
    double a[N_MAX][N_MAX], factor[N_MAX * (N_MAX + 1) / 2];
    for (uint32_t n = 1; n <= N_MAX; n++) {
        random_positive(&seed, n, a);
        pack(a, n, factor);
        assert_true(sotto__cholesky(factor, n));
        for (uint32_t i = 0; i < n; i++) {
            const double *row = factor + sotto__tri_count(i);
            assert_true(row[i] > 0);
            for (uint32_t j = 0; j <= i; j++) {
                double sum = 0;
                for (uint32_t k = 0; k <= j; k++) {
                    sum += row[k] * factor[sotto__tri_count(j) + k];
                }
                assert_near(sum, a[i][j], 1e-12);
            }
        }
    }
}

/* b, 2 b, 3 b, ... have forms 1, 4, 9, ... times that of b. */
static void assert_forms_side_by_side(const double *factor, const double *b, double form,
                                      uint32_t n)
{
    enum { ROWS = 7 };
    double rows[ROWS * N_MAX], scratch[ROWS * N_MAX], forms[ROWS];
    for (uint32_t i = 0; i < ROWS * n; i++) {
        rows[i] = (1 + i / n) * b[i % n];
    }
    for (uint32_t count = 1; count <= ROWS; count++) {
        sotto__inverse_forms(factor, rows, count, n, scratch, forms);
        for (uint32_t r = 0; r < count; r++) {
            assert_near(forms[r], (r + 1) * (r + 1) * form, 1e-11 * (1 + fabs(forms[r])));
        }
    }
}

TEST(solutions_and_inverse_forms_agree_with_gauss_elimination)
{
    uint64_t seed = 2;
    double a[N_MAX][N_MAX], factor[N_MAX * (N_MAX + 1) / 2];
    double b[N_MAX], x[N_MAX], wanted[N_MAX], scratch[N_MAX];
    for (uint32_t n = 1; n <= N_MAX; n++) {
        random_positive(&seed, n, a);
        pack(a, n, factor);
        assert_true(sotto__cholesky(factor, n));
        double form = 0;
        for (uint32_t i = 0; i < n; i++) {
            b[i] = next_number(&seed);
        }
        dense_solve(a, b, wanted, n);
        sotto__cholesky_solve(factor, b, x, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_near(x[i], wanted[i], 1e-12);
            form += b[i] * wanted[i];
        }
        assert_near(sotto__inverse_form(factor, b, scratch, n), form, 1e-12);
        assert_forms_side_by_side(factor, b, form, n);
        sotto__cholesky_solve(factor, b, b, n); /* in place */
        assert_memory_equal(b, x, n * sizeof *b);
    }
}

/* x in block c of four, and 0 elsewhere. */
TEST(forms_of_blocks_are_those_of_any_rows)
{
    enum { BLOCKS = 4 };
    uint64_t seed = 3;
    double a[N_MAX][N_MAX], factor[N_MAX * (N_MAX + 1) / 2];
    double scratch[BLOCKS * N_MAX], wanted[BLOCKS], forms[BLOCKS];
    for (uint32_t n = BLOCKS; n <= N_MAX; n += BLOCKS) {
        double rows[BLOCKS * N_MAX] = {0};
        random_positive(&seed, n, a);
        pack(a, n, factor);
        assert_true(sotto__cholesky(factor, n));
        for (uint32_t i = 0; i < n; i++) {
            rows[i / (n / BLOCKS) * n + i] = next_number(&seed);
        }
        sotto__inverse_forms(factor, rows, BLOCKS, n, scratch, wanted);
        memset(scratch, 0xff, sizeof scratch);
        sotto__inverse_forms_of_blocks(factor, rows, BLOCKS, n, scratch, forms);
        assert_memory_equal(forms, wanted, sizeof wanted);
    }
}

/* Four matrices at once: the same factors and solutions as one by one, and a lane that fails alone. */

#define TRI_MAX (N_MAX * (N_MAX + 1) / 2)

/* A packed matrix of n rows: diagonal `dominance`, all else uniform in [-1, 1]. */
static void random_matrix(sotto__seeded *random, uint32_t n, double dominance, double *a)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double entry = 2 * sotto__uniform(sotto__seeded_next(random)) - 1;
            a[sotto__tri_count(i) + j] = i == j ? dominance : entry;
        }
    }
}

static void put_lane(sotto__lanes *lanes, uint32_t lane, const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        lanes[i].lane[lane] = numbers[i];
    }
}

static void assert_lane(const sotto__lanes *lanes, uint32_t lane, const double *wanted,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_near(lanes[i].lane[lane], wanted[i], 1e-13 * (1 + fabs(wanted[i])));
    }
}

/* Zero, negative, NaN and infinite pivots, in each lane, beside three sound matrices. */
TEST(a_lane_fails_alone)
{
    const double bad[][3] = {
        {0, 0, 1}, {-1, 0, 1},  {NAN, 0, 1},      {INFINITY, 0, 1},
        {1, 2, 1}, {1, NAN, 1}, {1, INFINITY, 1}, {1, 1, 1},
    };
    const double good[3] = {4, 2, 5}, root[3] = {2, 1, 2};
    for (size_t row = 0; row < sizeof bad / sizeof bad[0]; row++) {
        for (uint32_t lane = 0; lane < SOTTO__LANES; lane++) {
            sotto__lanes a[3], inverse[2], x[2];
            for (uint32_t l = 0; l < SOTTO__LANES; l++) {
                put_lane(a, l, l == lane ? bad[row] : good, 3);
                put_lane(x, l, (double[]){8, 12}, 2);
            }
            assert_int_equal(sotto__cholesky_lanes(a, inverse, 2), 1u << lane);
            sotto__cholesky_solve_lanes(a, inverse, x, 2);
            for (uint32_t l = 0; l < SOTTO__LANES; l++) {
                if (l == lane) continue;
                assert_lane(a, l, root, 3);
                assert_lane(inverse, l, (double[]){0.5, 0.5}, 2);
                assert_lane(x, l, (double[]){1, 2}, 2); /* (4 2; 2 5) (1, 2) = (8, 12) */
            }
        }
    }
}

TEST(lanes_agree_with_one_matrix_at_a_time)
{
    sotto__seeded random;
    sotto__seeded_begin(&random, 3);
    for (uint32_t n = 1; n <= N_MAX; n++) {
        double factor[SOTTO__LANES][TRI_MAX], b[SOTTO__LANES][N_MAX], wanted[N_MAX];
        sotto__lanes lanes[TRI_MAX], inverse[N_MAX], x[N_MAX];
        for (uint32_t l = 0; l < SOTTO__LANES; l++) {
            random_matrix(&random, n, n + 1 + l, factor[l]);
            for (uint32_t i = 0; i < n; i++) {
                b[l][i] = 2 * sotto__uniform(sotto__seeded_next(&random)) - 1;
            }
            put_lane(lanes, l, factor[l], sotto__tri_count(n));
            put_lane(x, l, b[l], n);
        }
        assert_int_equal(sotto__cholesky_lanes(lanes, inverse, n), 0);
        sotto__cholesky_solve_lanes(lanes, inverse, x, n);
        for (uint32_t l = 0; l < SOTTO__LANES; l++) {
            assert_true(sotto__cholesky(factor[l], n));
            assert_lane(lanes, l, factor[l], sotto__tri_count(n));
            sotto__cholesky_solve(factor[l], b[l], wanted, n);
            assert_lane(x, l, wanted, n);
        }
    }
}
