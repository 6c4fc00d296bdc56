/* Quadrature: exact for polynomials of degree 15, in panels that cover the interval. */
#include "test.h"

#include "core/quadrature.h"

#include <math.h>

static double integral_of_power(int power, double from, double to, uint32_t panels)
{
    double sum = 0;
    for (uint32_t i = 0; i < panels * SOTTO__PANEL_NODES; i++) {
        sotto__node node = sotto__quadrature_node(from, to, panels, i);
        sum += node.weight * pow(node.at, power);
    }
    return sum;
}

static void polynomials_of_degree_15_are_exact_in_one_panel(void **state)
{
    (void)state;
    for (int power = 0; power <= 15; power++) {
        double wanted = (pow(2, power + 1) - pow(-1, power + 1)) / (power + 1);
        assert_near(integral_of_power(power, -1, 2, 1), wanted, 1e-13 * pow(2, power + 1));
    }
    double wanted = (pow(2, 17) + 1) / 17;
    assert_true(fabs(integral_of_power(16, -1, 2, 1) - wanted) > 1e-6);
}

static void panels_follow_each_other(void **state)
{
    (void)state;
    double wanted = (pow(2, 17) + 1) / 17;
    assert_near(integral_of_power(16, -1, 2, 64), wanted, 1e-10);
    for (uint32_t i = 0; i < 4 * SOTTO__PANEL_NODES; i++) {
        sotto__node node = sotto__quadrature_node(10, 14, 4, i);
        double panel = i / SOTTO__PANEL_NODES;
        assert_true(node.at > 10 + panel && node.at < 11 + panel);
        assert_true(node.weight > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_of_degree_15_are_exact_in_one_panel),
        cmocka_unit_test(panels_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
