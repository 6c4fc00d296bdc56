/* Extreme eigenvalues: edges, closed forms, and matrices made from known ones. */
#include "core/linalg.h"
#include "lab/math/eigen.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define N_MAX 60
#define TRI_MAX (N_MAX * (N_MAX + 1) / 2)

static void assert_extremes(const double *a, uint32_t n, double smallest, double largest)
{
    double copy[TRI_MAX], scratch[2 * N_MAX];
    memcpy(copy, a, sotto__tri_count(n) * sizeof *a);
    sotto__extremes got = sotto__eigen_extremes(copy, n, scratch);
    double tolerance = 1e-13 * fmax(fabs(smallest), fabs(largest));
    assert_near(got.smallest, smallest, tolerance);
    assert_near(got.largest, largest, tolerance);
}

static void small_and_singular_matrices_have_theirs(void **state)
{
    (void)state;
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
static void a_chain_has_its_closed_form(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= N_MAX; n++) {
        double a[TRI_MAX] = {0};
        for (uint32_t i = 0; i < n; i++) {
            a[sotto__tri_count(i) + i] = 2;
            if (i > 0) a[sotto__tri_count(i) + i - 1] = -1;
        }
        assert_extremes(a, n, 2 - 2 * cos(M_PI / (n + 1)), 2 - 2 * cos(n * M_PI / (n + 1)));
    }
}

/* A <- Q A Q, Q = I - 2 w w', on a full matrix: the eigenvalues stay. */
static void reflect(double a[N_MAX][N_MAX], uint32_t n, sotto__seeded *seeded)
{
    double w[N_MAX];
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

static void rotated_diagonals_keep_their_eigenvalues(void **state)
{
    (void)state;
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 4);
    for (uint32_t n = 2; n <= N_MAX; n++) {
        double a[N_MAX][N_MAX] = {{0}}, packed[TRI_MAX];
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_singular_matrices_have_theirs),
        cmocka_unit_test(a_chain_has_its_closed_form),
        cmocka_unit_test(rotated_diagonals_keep_their_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
