/* Cells against what is known of a uniform unit vector. */
#include "lab/floor/cells.h"
#include "lab/math/sphere_max.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

typedef struct sums {
    double weight, c, cc, yy, y4;
} sums;

static sums sums_of(const sotto__cells *cells)
{
    sums s = {0};
    for (uint32_t i = 0; i < cells->count; i++) {
        const sotto__cell *at = &cells->cell[i];
        double yy = at->y * at->y;
        assert_true(at->weight >= 0 && at->y >= 0 && at->c * at->c + yy <= 1 + 1e-12);
        s.weight += at->weight;
        s.c += at->weight * at->c;
        s.cc += at->weight * at->c * at->c;
        s.yy += at->weight * yy;
        s.y4 += at->weight * yy * yy;
    }
    return s;
}

static const uint32_t dims[] = {2, 3, 4, 20, 200, 1000};

static void one_arm_is_uniform_on_the_sphere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        double d = dims[i];
        for (int even = 0; even < 2; even++) {
            sotto__cells *cells =
                even ? sotto__cells_even(dims[i]) : sotto__cells_greedy(dims[i], 1);
            assert_non_null(cells);
            sums s = sums_of(cells);
            double tolerance = even ? 0.01 : 1e-6; /* the grid is for choosing, not for sums */
            assert_near(s.weight, 1, 1e-12);
            assert_near(s.c, 0, even ? tolerance / sqrt(d) : 1e-9);
            assert_near(s.cc, 1 / d, tolerance / d);
            assert_near(s.yy, 1 / d, tolerance / d);
            assert_near(s.y4, 3 / (d * (d + 2)), tolerance * 3 / (d * (d + 2)));
            free(cells);
        }
    }
}

static double square(double c, const void *state)
{
    (void)state;
    return c * c;
}

static void the_best_arm_has_the_largest_projection(void **state)
{
    (void)state;
    const uint32_t arms[] = {2, 10, 1000};
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        for (size_t j = 0; j < sizeof arms / sizeof arms[0]; j++) {
            sotto__cells *cells = sotto__cells_greedy(dims[i], arms[j]);
            assert_non_null(cells);
            sums s = sums_of(cells);
            double cc = sotto__sphere_max(dims[i], arms[j], square, NULL);
            assert_near(s.c, sotto__sphere_max_mean(dims[i], arms[j]), 1e-6);
            assert_near(s.cc, cc, 1e-6);
            assert_near(s.yy, (1 - cc) / (dims[i] - 1), 1e-6 / dims[i]); /* any tangent is alike */
            free(cells);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_arm_is_uniform_on_the_sphere),
        cmocka_unit_test(the_best_arm_has_the_largest_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
