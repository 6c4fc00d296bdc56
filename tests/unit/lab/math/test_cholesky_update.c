/* A factor that follows a growing matrix, against fresh factors. */
#include "core/linalg.h"
#include "lab/math/cholesky_update.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

#define N_MAX 20

/* A = 4, x = 3: 4 + 9 = 13. */
static void one_row_by_hand(void **state)
{
    (void)state;
    double factor[1] = {2}, x[1] = {3};
    sotto__cholesky_update(factor, x, 1);
    assert_near(factor[0], sqrt(13), 1e-15);
}

/* L = (1; 2 3), A = (1 2; 2 13), x = (1, 1): A + x x' = (2 3; 3 14), whose factor is
 * (sqrt 2; 3/sqrt 2, sqrt(14 - 4.5)). */
static void two_rows_by_hand(void **state)
{
    (void)state;
    double factor[3] = {1, 2, 3}, x[2] = {1, 1};
    sotto__cholesky_update(factor, x, 2);
    assert_near(factor[0], sqrt(2), 1e-15);
    assert_near(factor[1], 3 / sqrt(2), 1e-15);
    assert_near(factor[2], sqrt(9.5), 1e-15);
}

static void nothing_added_changes_nothing(void **state)
{
    (void)state;
    double factor[3] = {1, 2, 3}, x[2] = {0, 0};
    sotto__cholesky_update(factor, x, 2);
    assert_true(factor[0] == 1 && factor[1] == 2 && factor[2] == 3);
}

/* I + sum x x' after `rounds`, in sizes from 1e-3 to 1e3. */
static void assert_follows(uint32_t n, uint32_t rounds, double size)
{
    double factor[N_MAX * (N_MAX + 1) / 2] = {0}, fresh[N_MAX * (N_MAX + 1) / 2] = {0};
    sotto__seeded random;
    sotto__seeded_begin(&random, n);
    for (uint32_t i = 0; i < n; i++) {
        factor[sotto__tri_count(i) + i] = fresh[sotto__tri_count(i) + i] = 1;
    }
    for (uint32_t t = 0; t < rounds; t++) {
        double x[N_MAX];
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

static void it_follows_a_growing_matrix(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 2, 3, 8, N_MAX};
    for (int i = 0; i < 5; i++) {
        assert_follows(sizes[i], 1000, 1);
        assert_follows(sizes[i], 100, 1e-3);
        assert_follows(sizes[i], 100, 1e3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_by_hand),
        cmocka_unit_test(two_rows_by_hand),
        cmocka_unit_test(nothing_added_changes_nothing),
        cmocka_unit_test(it_follows_a_growing_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
