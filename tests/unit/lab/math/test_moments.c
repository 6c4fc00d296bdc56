/* Means, deviations, quantiles, slopes. */
#include "lab/math/moments.h"
#include "test.h"

#include <math.h>

static void nothing_has_no_answer(void **state)
{
    (void)state;
    const double one[] = {3};
    assert_true(isnan(sotto__mean(one, 0)));
    assert_true(isnan(sotto__quantile(one, 0, 0.5)));
    assert_true(isnan(sotto__deviation(one, 1)));
    assert_true(isnan(sotto__standard_error(one, 1)));
    assert_true(isnan(sotto__slope(one, one, 1)));
    sotto__sort(NULL, 0);
}

/* 1, 2, 4, 9: mean 4, squares 9 + 4 + 0 + 25 = 38. */
static void numbers_by_hand(void **state)
{
    (void)state;
    const double x[] = {9, 1, 4, 2};
    assert_near(sotto__mean(x, 4), 4, 1e-15);
    assert_near(sotto__deviation(x, 4), sqrt(38.0 / 3), 1e-15);
    assert_near(sotto__standard_error(x, 4), sqrt(38.0 / 12), 1e-15);
}

static void quantiles_lie_between_neighbours(void **state)
{
    (void)state;
    double x[] = {9, 1, 4, 2};
    sotto__sort(x, 4);
    assert_near(sotto__quantile(x, 4, 0), 1, 0);
    assert_near(sotto__quantile(x, 4, 1), 9, 0);
    assert_near(sotto__quantile(x, 4, 0.5), 3, 1e-15);
    assert_near(sotto__quantile(x, 4, 0.9), 7.5, 1e-14); /* place 2.7: 4 + 0.7 x 5 */
}

/* Through (0, 1), (1, 2), (2, 6): mean 1 and 3, (2 x 1 + 3 x 1)/2. */
static void slope_by_hand(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {1, 2, 6}, same[] = {5, 5, 5};
    assert_near(sotto__slope(x, y, 3), 2.5, 1e-15);
    assert_true(isnan(sotto__slope(same, y, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_no_answer),
        cmocka_unit_test(numbers_by_hand),
        cmocka_unit_test(quantiles_lie_between_neighbours),
        cmocka_unit_test(slope_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
