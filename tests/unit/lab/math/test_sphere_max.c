/* Expectations over the best arm, against closed forms and draws. */
#include "test.h"

#include "lab/math/sphere_max.h"
#include "lab/random/ziggurat.h"
#include "stats.h"

#include <math.h>

#define PI 3.14159265358979323846

static double one(double c, const void *state)
{
    (void)c;
    (void)state;
    return 1;
}

static double square(double c, const void *state)
{
    return c * c * *(const double *)state;
}

/* Chances sum to 1, in every dimension and for every number of arms. */
static void the_density_integrates_to_one(void **state)
{
    (void)state;
    const uint32_t dims[] = {1, 2, 3, 4, 10, 143, 144, 145, 1024};
    const uint32_t arms[] = {1, 2, 3, 20, 1024};
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 5; j++) {
            assert_near(sotto__sphere_max(dims[i], arms[j], one, NULL), 1, 1e-9);
        }
    }
}

/* One arm: E c = 0, E c^2 = 1/d. */
static void one_arm_has_the_moments_of_a_projection(void **state)
{
    (void)state;
    const double three = 3;
    for (uint32_t d = 1; d <= 1024; d = 2 * d + 1) {
        assert_near(sotto__sphere_max_mean(d, 1), 0, 1e-12);
        assert_near(sotto__sphere_max(d, 1, square, &three), 3.0 / d, 1e-10);
    }
}

/* A projection is +-1 on a line, cos of a uniform angle on a circle, uniform in space. */
static void one_two_and_three_dimensions_have_closed_forms(void **state)
{
    (void)state;
    for (uint32_t arms = 1; arms <= 1024; arms *= 2) {
        double k = arms;
        assert_near(sotto__sphere_max_mean(1, arms), 1 - 2 * pow(2, -k), 1e-15);
        assert_near(sotto__sphere_max_mean(3, arms), (k - 1) / (k + 1), 1e-10);
    }
    /* E max(cos a, cos b) = 4/pi^2. */
    assert_near(sotto__sphere_max_mean(2, 2), 4 / (PI * PI), 1e-12);
    const double unit = 1; /* K uniforms on [-1, 1]: E c^2 = 4K/(K + 2) - 4K/(K + 1) + 1 */
    assert_near(sotto__sphere_max(3, 4, square, &unit), 16.0 / 6 - 16.0 / 5 + 1, 1e-12);
}

static void the_largest_of_normals_has_closed_forms(void **state)
{
    (void)state;
    assert_near(sotto__normal_max_mean(1), 0, 1e-14);
    assert_near(sotto__normal_max_mean(2), 1 / sqrt(PI), 1e-12);
    assert_near(sotto__normal_max_mean(3), 1.5 / sqrt(PI), 1e-12);
    /* Tables of order statistics: 10 and 100 normals. */
    assert_near(sotto__normal_max_mean(10), 1.53875273, 1e-8);
    assert_near(sotto__normal_max_mean(100), 2.50759364, 1e-8);
}

/* In many dimensions a projection is nearly normal: with d = 1024 to a part in a few hundred. */
static void many_dimensions_come_near_to_normals(void **state)
{
    (void)state;
    for (uint32_t arms = 2; arms <= 64; arms *= 2) {
        double ratio = 32 * sotto__sphere_max_mean(1024, arms) / sotto__normal_max_mean(arms);
        assert_near(ratio, 1, 0.005);
    }
}

/* Five arms of R^7, drawn 200000 times (false alarms below 1e-6). */
static void the_mean_is_that_of_draws(void **state)
{
    (void)state;
    enum { DRAWS = 200000, ARMS = 5, DIM = 7 };
    sotto__ziggurat ziggurat;
    sotto__seeded seeded;
    sotto__ziggurat_begin(&ziggurat);
    sotto__seeded_begin(&seeded, 3);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double best = -1;
        for (int k = 0; k < ARMS; k++) {
            double x = sotto__normal(&ziggurat, &seeded), norm = x * x;
            for (int j = 1; j < DIM; j++) {
                double y = sotto__normal(&ziggurat, &seeded);
                norm += y * y;
            }
            best = fmax(best, x / sqrt(norm));
        }
        sum += best, squares += best * best;
    }
    double mean = sum / DRAWS, error = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assert_near(sotto__sphere_max_mean(DIM, ARMS), mean, Z_FALSE_ALARM * error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_integrates_to_one),
        cmocka_unit_test(one_arm_has_the_moments_of_a_projection),
        cmocka_unit_test(one_two_and_three_dimensions_have_closed_forms),
        cmocka_unit_test(the_largest_of_normals_has_closed_forms),
        cmocka_unit_test(many_dimensions_come_near_to_normals),
        cmocka_unit_test(the_mean_is_that_of_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
