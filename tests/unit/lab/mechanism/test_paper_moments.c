/* What the paper's constants truly give. */
#include "test.h"

#include <sotto/lab/mechanisms.h>

#include <math.h>

/* The claim holds for C_B = 1 up to epsilon 5.74 (delta 0.1), 6.77 (1e-2), 8.42 (1e-5), 8.78
 * (1e-6): where the classical Gaussian formula first fails. */
static void the_claim_holds_up_to_the_known_epsilon(void **state)
{
    (void)state;
    const double rows[][2] = {{0.1, 5.74}, {1e-2, 6.77}, {1e-5, 8.42}, {1e-6, 8.78}};
    for (int i = 0; i < 4; i++) {
        double delta = rows[i][0], edge = rows[i][1];
        assert_true(sotto_paper_moments_calibrate(edge - 0.01, delta, 1).epsilon < edge - 0.01);
        assert_true(sotto_paper_moments_calibrate(edge + 0.01, delta, 1).epsilon > edge + 0.01);
        assert_true(sotto_paper_moments_calibrate(edge - 0.01, delta, 1).delta < delta);
        assert_true(sotto_paper_moments_calibrate(edge + 0.01, delta, 1).delta > delta);
    }
}

static void the_constants_are_the_printed_ones(void **state)
{
    (void)state;
    sotto_paper_moments paper = sotto_paper_moments_calibrate(1, 0.01, 1);
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
        sotto_paper_moments paper = sotto_paper_moments_calibrate(1, 1e-6, bound);
        double diameter = paper.whitened * paper.sigma;
        assert_true(largest <= diameter * (1 + 1e-12));
        assert_near(largest, diameter, 1e-3 * diameter);
    }
}

static void long_contexts_break_the_claim(void **state)
{
    (void)state;
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 2).epsilon < 1);
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 10).epsilon > 1);
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 10).delta > 1e-6);
}

/* ---- beside the exact noise --------------------------------------------------------------- */

/* The paper's by its formula; the exact one by its promise: delta at epsilon, no more. */
static void both_noises_are_what_they_say(void **state)
{
    (void)state;
    const double cases[][3] = {{0.5, 0.1, 1}, {1, 1e-6, 3}, {10, 1e-2, 5}};
    for (int i = 0; i < 3; i++) {
        double epsilon = cases[i][0], delta = cases[i][1], bound = cases[i][2];
        sotto_paper_comparison row = sotto_paper_compare(epsilon, delta, bound);
        double sigma = 2 * sqrt(2 * log(1.25 / delta)) / epsilon;
        assert_true(row.epsilon == epsilon && row.delta == delta && row.context_norm_max == bound);
        assert_near(row.paper_square, 2 * bound * sigma, 1e-12 * sigma);
        assert_near(row.paper_product, bound * sigma, 1e-12 * sigma);
        assert_near(row.exact_square, row.exact_product / sqrt(2), 1e-12 * row.exact_product);
        /* x x'/sqrt 2 off the diagonal and r x: as far apart as |x| = |y| = C, r = -s = 1 can be. */
        double widest = 0;
        for (int degree = 0; degree <= 360; degree++) {
            double t = cos(degree * M_PI / 360);
            widest = fmax(widest, 2 * bound * bound * bound * bound * (1 - t * t) +
                                      2 * bound * bound * (1 + t));
        }
        double promise = sotto_gaussian_delta(epsilon, sqrt(widest) / row.exact_product);
        assert_near(promise, delta, 1e-3 * delta);
    }
}

static void a_claim_holds_if_the_true_epsilon_is_no_larger(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        sotto_paper_comparison row = sotto_paper_compare(0.1 * (i + 1), 1e-5, 1);
        assert_int_equal(row.holds, row.true_epsilon <= row.epsilon);
        assert_int_equal(row.holds, row.true_delta <= row.delta);
    }
    assert_true(sotto_paper_compare(1, 1e-6, 2).holds);
    assert_false(sotto_paper_compare(1, 1e-6, 10).holds);
}

static void what_is_given_stands_in_for_the_grid(void **state)
{
    (void)state;
    static sotto_paper_comparison row[SOTTO_PAPER_GRID_MAX];
    const double epsilon = 3, delta = 1e-4, bound = 1.5;
    assert_int_equal(sotto_paper_grid(&epsilon, &delta, &bound, row), 1);
    assert_true(row[0].epsilon == 3 && row[0].delta == 1e-4 && row[0].context_norm_max == 1.5);
    assert_int_equal(sotto_paper_grid(&epsilon, NULL, NULL, row), 16);
    assert_true(row[15].epsilon == 3 && row[15].delta == 1e-6 && row[15].context_norm_max == 5);
    assert_int_equal(sotto_paper_grid(NULL, &delta, NULL, row), 24);
    assert_true(row[5].epsilon == 10 && row[6].epsilon == 0.5 && row[6].context_norm_max == 2);
    assert_int_equal(sotto_paper_grid(NULL, NULL, &bound, row), 24);
    assert_true(row[6].delta == 1e-2 && row[23].context_norm_max == 1.5);
    assert_int_equal(sotto_paper_grid(NULL, NULL, NULL, row), SOTTO_PAPER_GRID_MAX);
    assert_true(row[1].epsilon == 1 && row[1].delta == 0.1 && row[1].context_norm_max == 1);
    assert_true(row[95].epsilon == 10 && row[95].delta == 1e-6 && row[95].context_norm_max == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_claim_holds_up_to_the_known_epsilon),
        cmocka_unit_test(the_constants_are_the_printed_ones),
        cmocka_unit_test(the_diameter_is_the_largest_over_all_directions),
        cmocka_unit_test(long_contexts_break_the_claim),
        cmocka_unit_test(both_noises_are_what_they_say),
        cmocka_unit_test(a_claim_holds_if_the_true_epsilon_is_no_larger),
        cmocka_unit_test(what_is_given_stands_in_for_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
