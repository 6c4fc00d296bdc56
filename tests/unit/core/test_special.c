/* Special functions agree with mpmath (40 digits) over the arguments that calibration uses. */
#include "test.h"

#include "core/special.h"

#include <math.h>

static void arguments_at_and_past_the_ends_of_the_range_give_the_limits(void **state)
{
    (void)state;
    assert_true(sotto__incomplete_beta(0, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(-0.0, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(-1, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(1, 2, 3) == 1);
    assert_true(sotto__incomplete_beta(1e308, 2, 3) == 1);
    assert_true(sotto__log_normal_cdf(1e308) == 0);
    assert_true(sotto__log_normal_cdf(INFINITY) == 0);
    assert_true(sotto__log_normal_cdf(-INFINITY) == -INFINITY);
}

static void nan_comes_out_as_nan(void **state)
{
    (void)state;
    assert_true(isnan(sotto__log_gamma(NAN)));
    assert_true(isnan(sotto__log_beta(NAN, 1)));
    assert_true(isnan(sotto__incomplete_beta(NAN, 2, 3)));
    assert_true(isnan(sotto__log_normal_cdf(NAN)));
}

/* Relative to the largest of |wanted| and 1: ln Gamma has zeros at 1 and 2. */
static double within(double wanted, double relative)
{
    return relative * fmax(1, fabs(wanted));
}

static void log_gamma_agrees_from_denormals_to_a_million(void **state)
{
    (void)state;
    static const struct {
        double x, wanted;
    } known[] = {
        {5e-324, 744.44007192138126231}, {1e-300, 690.77552789821370518},
        {1e-8, 18.420680738180208884},   {0.1, 2.252712651734205902},
        {0.5, 0.57236494292470008707},   {1, 0.0},
        {1.5, -0.12078223763524522235},  {2, 0.0},
        {3.25, 0.93580193110872535826},  {7, 6.5792512120101009951},
        {11.999, 17.499865227646105739}, {12, 17.502307845873885839},
        {12.5, 18.734347511936445702},   {20, 39.339884187199494036},
        {100, 359.13420536957539878},    {512.5, 2682.9410651732424342},
        {65536, 661276.87176518550363},  {1e6, 1.281550456914761166e+7},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_near(sotto__log_gamma(known[i].x), known[i].wanted, within(known[i].wanted, 1e-14));
    }
}

/* ln Beta is a difference of three ln Gamma, of which the largest sets the error. */
static void log_beta_agrees_to_the_error_of_its_largest_term(void **state)
{
    (void)state;
    static const struct {
        double a, b, wanted;
    } known[] = {
        {0.5, 0.5, 1.1447298858494001741},    {1, 1, 0.0},
        {0.5, 1, 0.69314718055994530942},     {0.5, 4.5, -0.15195231658080331207},
        {0.5, 9.5, -0.54012911635950104157},  {3, 7, -5.5294290875114233067},
        {0.5, 511.5, -2.5460644705334221297}, {0.5, 32670, -4.6247374832326682089},
        {200, 300, -337.98011306546466835},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double largest = sotto__log_gamma(known[i].a + known[i].b);
        double tolerance = within(largest, 1e-15) + 1e-14;
        assert_near(sotto__log_beta(known[i].a, known[i].b), known[i].wanted, tolerance);
        assert_near(sotto__log_beta(known[i].b, known[i].a), known[i].wanted, tolerance);
    }
}

static void incomplete_beta_agrees_on_both_sides_of_its_mean(void **state)
{
    (void)state;
    static const struct {
        double x, a, b, wanted;
    } known[] = {
        {1e-300, 1, 1, 1.0000000000000000251e-300},
        {5e-324, 0.5, 0.5, 1.4150521691252397914e-162},
        {1e-10, 0.5, 0.5, 6.3661977237819168421e-6},
        {0.25, 0.5, 0.5, 0.33333333333333333333},
        {0.5, 0.5, 0.5, 0.5},
        {0.999999, 0.5, 0.5, 0.9993633801215199223},
        {0.3, 1, 1, 0.2999999999999999889},
        {0.1, 2, 3, 0.052300000000000005396},
        {0.5, 2, 3, 0.6875},
        {0.9, 2, 3, 0.9963000000000000024},
        {0.345, 4.5, 4.5, 0.17677035479115172176},
        {0.2, 9.5, 9.5, 0.0020179576908134819597},
        {0.45, 24.5, 24.5, 0.24252871563771345163},
        {0.3, 24.5, 24.5, 0.0018173519251694689998},
        {0.99, 4.5, 0.5, 0.76987499989213652692},
        {0.6, 9.5, 0.5, 0.0020948217639623576958},
        {0.999, 24.5, 0.5, 0.82564671866371492403},
        {0.999, 511.5, 0.5, 0.31180567610251696222},
        {0.98, 511.5, 0.5, 5.4927717015930099389e-6},
        {0.9999, 32670, 0.5, 0.010581524025258200753},
        {0.01, 0.5, 511.5, 0.99865262799691327266},
        {0.4, 200, 300, 0.50242861631993199569},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double a = known[i].a, b = known[i].b;
        /* exp(ln Beta) carries over the absolute error of ln Gamma(a + b). */
        double relative = 1e-13 + 3e-16 * sotto__log_gamma(a + b);
        assert_near(sotto__incomplete_beta(known[i].x, a, b), known[i].wanted,
                    relative * known[i].wanted);
    }
}

static void incomplete_beta_of_mirrored_arguments_adds_up_to_one(void **state)
{
    (void)state;
    for (int i = 1; i < 64; i++) {
        double x = i / 64.0; /* 1 - x is exact */
        assert_near(sotto__incomplete_beta(x, 4.5, 0.5) + sotto__incomplete_beta(1 - x, 0.5, 4.5),
                    1, 1e-14);
        assert_near(sotto__incomplete_beta(x, 1, 1), x, 1e-14 * x);
    }
}

/* Of ln Phi(x): 1e-13 relative, but 1e-15 absolute where it nears 0, and 1e-10 absolute below -20,
 * where the asymptotic series ends after five terms. From -37.6 on erfc has lost digits, from -38.6
 * on it is 0. */
static void log_normal_cdf_agrees_into_both_tails(void **state)
{
    (void)state;
    static const struct {
        double x, wanted;
    } known[] = {
        {-1e150, -4.9999999999999998084e+299}, {-1e4, -5.0000010129278915181e+7},
        {-100, -5005.5242086942050886},        {-39, -765.08315656437754440},
        {-38.5, -745.69527029041108133},       {-38, -726.55721601882013010},
        {-37.5, -707.66898931750719107},       {-30, -454.32124395634319711},
        {-20.5, -214.06672896326380017},       {-20, -203.91715537109726394},
        {-19.999, -203.89710611679704032},     {-15, -116.13138484571169524},
        {-8, -35.013437159914549896},          {-5, -15.064998393988725736},
        {-2, -3.7831843336820319488},          {-1, -1.8410216450092635058},
        {-0.5, -1.1759117615936186089},        {-1e-300, -0.69314718055994530942},
        {0, -0.69314718055994530942},          {0.5, -0.36894641528865639307},
        {1, -0.17275377902344988953},          {3, -0.0013508099647481937988},
        {6, -9.8658764552437573169e-10},       {8, -6.2209605742717860585e-16},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double floor = known[i].x <= -20 ? 1e-10 : 1e-15;
        double tolerance = fmax(1e-13 * fabs(known[i].wanted), floor);
        assert_near(sotto__log_normal_cdf(known[i].x), known[i].wanted, tolerance);
    }
}

static void log_normal_cdf_does_not_jump_where_its_formula_changes(void **state)
{
    (void)state;
    double above = sotto__log_normal_cdf(nextafter(-20, 0)), below = sotto__log_normal_cdf(-20);
    assert_near(above, below, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_at_and_past_the_ends_of_the_range_give_the_limits),
        cmocka_unit_test(nan_comes_out_as_nan),
        cmocka_unit_test(log_gamma_agrees_from_denormals_to_a_million),
        cmocka_unit_test(log_beta_agrees_to_the_error_of_its_largest_term),
        cmocka_unit_test(incomplete_beta_agrees_on_both_sides_of_its_mean),
        cmocka_unit_test(incomplete_beta_of_mirrored_arguments_adds_up_to_one),
        cmocka_unit_test(log_normal_cdf_agrees_into_both_tails),
        cmocka_unit_test(log_normal_cdf_does_not_jump_where_its_formula_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
