/* Four matrices at once: the same factors and solutions as one by one, and a lane that fails alone. */
#include "test.h"

#include "core/cholesky_lanes.h"
#include "lab/random/random.h"

#include <math.h>

#define N_MAX 23
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
static void a_lane_fails_alone(void **state)
{
    (void)state;
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

static void lanes_agree_with_one_matrix_at_a_time(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_fails_alone),
        cmocka_unit_test(lanes_agree_with_one_matrix_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
