/* Links stay finite for every finite argument, and their slopes are their derivatives. */
#include "test.h"

#include "core/link.h"

#include <float.h>
#include <math.h>

static const sotto_link all[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_PROBIT,
                                 SOTTO_LINK_LOG};
#define LINKS (sizeof all / sizeof all[0])

static void extreme_arguments_give_finite_means_and_slopes(void **state)
{
    (void)state;
    static const double v[] = {1e308, DBL_MAX, 710, 700, 40, 5e-324, 0.0};
    for (size_t i = 0; i < LINKS * sizeof v / sizeof v[0]; i++) {
        sotto_link link = all[i % LINKS];
        double at = v[i / LINKS];
        assert_true(isfinite(sotto__link_mean(link, at)));
        assert_true(isfinite(sotto__link_mean(link, -at)));
        assert_true(isfinite(sotto__link_slope(link, at)));
        assert_true(isfinite(sotto__link_slope(link, -at)));
        assert_true(sotto__link_slope(link, at) >= 0);
        assert_true(sotto__link_slope(link, -at) >= 0);
        assert_true(isfinite(sotto__link_slope_max(link, at)));
    }
}

/* From 700 on the exponential is held: mu no longer moves. */
static void links_saturate_at_their_limits(void **state)
{
    (void)state;
    assert_true(sotto__link_mean(SOTTO_LINK_IDENTITY, -1e308) == -1e308);
    assert_true(sotto__link_mean(SOTTO_LINK_LOGIT, 1e308) == 1);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, -1e308), exp(-700), 1e-310);
    assert_true(sotto__link_mean(SOTTO_LINK_LOGIT, -1e308) > 0);
    assert_true(sotto__link_mean(SOTTO_LINK_PROBIT, 1e308) == 1);
    assert_true(sotto__link_mean(SOTTO_LINK_PROBIT, -1e308) == 0);
    assert_true(sotto__link_slope(SOTTO_LINK_PROBIT, 1e308) == 0);
    assert_true(sotto__link_mean(SOTTO_LINK_LOG, 1e308) == exp(700));
    assert_true(sotto__link_mean(SOTTO_LINK_LOG, -1e308) == exp(-700));
}

static void means_at_known_points_are_known(void **state)
{
    (void)state;
    assert_true(sotto__link_mean(SOTTO_LINK_IDENTITY, 0.75) == 0.75);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, 0), 0.5, 0);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, log(3)), 0.75, 1e-15);
    assert_near(sotto__link_mean(SOTTO_LINK_PROBIT, 0), 0.5, 0);
    assert_near(sotto__link_mean(SOTTO_LINK_PROBIT, 1.959963984540054), 0.975, 1e-15);
    assert_near(sotto__link_mean(SOTTO_LINK_LOG, 2), 7.38905609893065, 1e-14);
    assert_near(sotto__link_slope(SOTTO_LINK_IDENTITY, -8), 1, 0);
    assert_near(sotto__link_slope(SOTTO_LINK_LOGIT, 0), 0.25, 0);
    assert_near(sotto__link_slope(SOTTO_LINK_PROBIT, 0), 0.3989422804014327, 1e-16);
    assert_near(sotto__link_slope(SOTTO_LINK_LOG, 0), 1, 0);
}

/* Central differences of step 1e-5 err by about 1e-10 of a scale that is at most e^4 here. */
static void slopes_are_the_derivatives_of_the_means(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (size_t i = 0; i < LINKS * 81; i++) {
        sotto_link link = all[i % LINKS];
        double v = ((double)(i / LINKS) - 40) / 10;
        double rise = sotto__link_mean(link, v + step) - sotto__link_mean(link, v - step);
        assert_near(sotto__link_slope(link, v), rise / (2 * step), 1e-8);
    }
}

/* The bounds hold on a fine scan and are attained within its spacing. */
static void extreme_slopes_are_those_of_a_scan(void **state)
{
    (void)state;
    static const double bound[] = {1e-6, 0.5, 1, 3, 10};
    for (size_t i = 0; i < LINKS * sizeof bound / sizeof bound[0]; i++) {
        sotto_link link = all[i % LINKS];
        double b = bound[i / LINKS], least = INFINITY, most = 0;
        for (int k = -1000; k <= 1000; k++) {
            double slope = sotto__link_slope(link, b * k / 1000);
            least = fmin(least, slope);
            most = fmax(most, slope);
        }
        assert_near(sotto__link_slope_max(link, b), most, 1e-15 * most);
        assert_near(sotto__link_slope_min(link, b), least, 1e-15 * least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extreme_arguments_give_finite_means_and_slopes),
        cmocka_unit_test(links_saturate_at_their_limits),
        cmocka_unit_test(means_at_known_points_are_known),
        cmocka_unit_test(slopes_are_the_derivatives_of_the_means),
        cmocka_unit_test(extreme_slopes_are_those_of_a_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
