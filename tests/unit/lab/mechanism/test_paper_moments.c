/* What the paper's constants truly give. */
#include "test.h"

#include <sotto/lab.h>

#include <math.h>

/* The claim holds for C_B = 1 up to epsilon 5.74 (delta 0.1), 6.77 (1e-2), 8.42 (1e-5), 8.78
 * (1e-6): where the classical Gaussian formula first fails. */
static void the_claim_holds_up_to_the_known_epsilon(void **state)
{
    (void)state;
    const double rows[][2] = {{0.1, 5.74}, {1e-2, 6.77}, {1e-5, 8.42}, {1e-6, 8.78}};
    for (int i = 0; i < 4; i++) {
        double delta = rows[i][0], edge = rows[i][1];
        assert_true(sotto_paper_calibration(edge - 0.01, delta, 1).epsilon < edge - 0.01);
        assert_true(sotto_paper_calibration(edge + 0.01, delta, 1).epsilon > edge + 0.01);
        assert_true(sotto_paper_calibration(edge - 0.01, delta, 1).delta < delta);
        assert_true(sotto_paper_calibration(edge + 0.01, delta, 1).delta > delta);
    }
}

static void the_constants_are_the_printed_ones(void **state)
{
    (void)state;
    sotto_paper_moments paper = sotto_paper_calibration(1, 0.01, 1);
    assert_near(paper.sigma, 2 * sqrt(2 * log(125)), 1e-12);
    assert_near(paper.whitened, 2 / paper.sigma, 1e-12);
}

/* Entries on and below the diagonal over 2 C, and r x - s y over C: sigma = c_r = 1, dim 2. */
static double distance(double bound, const double *x, double r, const double *y, double s)
{
    double square = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j <= i; j++) {
            square += pow((x[i] * x[j] - y[i] * y[j]) / (2 * bound), 2);
        }
        square += pow((r * x[i] - s * y[i]) / bound, 2);
    }
    return sqrt(square);
}

static void the_diameter_is_the_largest_over_all_directions(void **state)
{
    (void)state;
    const double bounds[] = {0.5, 1, 1.5, 3, 10};
    for (int i = 0; i < 5; i++) {
        double bound = bounds[i], largest = 0;
        for (int a = 0; a < 360; a++) {
            for (int b = 0; b < 360; b++) {
                double x[] = {bound * cos(a * M_PI / 180), bound * sin(a * M_PI / 180)};
                double y[] = {bound * cos(b * M_PI / 180), bound * sin(b * M_PI / 180)};
                largest = fmax(largest, distance(bound, x, 1, y, -1));
                largest = fmax(largest, distance(bound, x, 1, y, 1));
            }
        }
        sotto_paper_moments paper = sotto_paper_calibration(1, 1e-6, bound);
        double diameter = paper.whitened * paper.sigma;
        assert_true(largest <= diameter * (1 + 1e-12));
        assert_near(largest, diameter, 1e-3 * diameter);
    }
}

static void long_contexts_break_the_claim(void **state)
{
    (void)state;
    assert_true(sotto_paper_calibration(1, 1e-6, 2).epsilon < 1);
    assert_true(sotto_paper_calibration(1, 1e-6, 10).epsilon > 1);
    assert_true(sotto_paper_calibration(1, 1e-6, 10).delta > 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_claim_holds_up_to_the_known_epsilon),
        cmocka_unit_test(the_constants_are_the_printed_ones),
        cmocka_unit_test(the_diameter_is_the_largest_over_all_directions),
        cmocka_unit_test(long_contexts_break_the_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
