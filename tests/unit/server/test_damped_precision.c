/* The damped precision: its definition, many reports at once, and its bound under drift. */
#include "server/damped_precision.h"
#include "server/step_sum.h"
#include "test.h"

#include <math.h>

/* 1/P += added/(1 + R^2 (1/P - 1/P_0)/6), in the words of the definition. */
static double gone_through(const sotto__damping *damping, uint64_t reports, double from)
{
    long double squared = (long double)damping->range * damping->range, precision = from;
    for (uint64_t i = 0; i < reports; i++) {
        precision += damping->added / (1 + squared * (precision - damping->first) / 6);
    }
    return (double)precision;
}

static void no_report_changes_nothing(void **state)
{
    (void)state;
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.5, .window = 1};
    assert_true(sotto__run_damped(&damping, 0, 2.75) == 2.75);
}

static void the_first_report_adds_all_and_the_next_less(void **state)
{
    (void)state;
    const sotto__damping damping = {.first = 2, .range = 3, .added = 0.5};
    double one = sotto__run_damped(&damping, 1, 2);
    assert_near(one, 2.5, 1e-15);
    double two = sotto__run_damped(&damping, 1, one);
    assert_near(two, 2.5 + 0.5 / (1 + 9 * 0.5 / 6), 1e-15);
}

static void a_precision_below_the_first_counts_as_the_first(void **state)
{
    (void)state;
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.5};
    assert_true(sotto__run_damped(&damping, 1, 1) == sotto__run_damped(&damping, 1, 2));
}

static void many_reports_at_once_are_as_many_one_by_one(void **state)
{
    (void)state;
    static const double added[] = {1e-9, 1e-5, 3e-4, 0.02, 1, 50};
    static const double ranges[] = {0.1, 1, 40};
    static const uint64_t counts[] = {
        1, 100, SOTTO__LOOP_REPORTS_MAX, SOTTO__LOOP_REPORTS_MAX + 1, 20000, 300000};
    for (int i = 0; i < 6 * 3 * 6; i++) {
        const sotto__damping damping = {
            .first = 2 / (ranges[i % 3] * ranges[i % 3]),
            .range = ranges[i % 3],
            .added = added[i / 3 % 6],
        };
        double from = damping.first * (i % 2 == 0 ? 1 : 1.7);
        double got = sotto__run_damped(&damping, counts[i / 18], from);
        double want = gone_through(&damping, counts[i / 18], from);
        assert_near(got / want, 1, 1e-12);
    }
}

/* y + y^2/12 grows by about a: after a billion reports nothing else is left. */
static void a_billion_reports_end_where_the_square_says(void **state)
{
    (void)state;
    const sotto__damping damping = {.first = 2, .range = 1, .added = 0.01};
    double y = sotto__run_damped(&damping, 1000000000, 2) - 2;
    assert_near((y + y * y / 12) / 1e7, 1, 1e-5);
}

/* y <= the root of y + y^2/12 = W a, from both sides, however reports are divided. */
static void under_drift_it_stays_at_its_bound(void **state)
{
    (void)state;
    const sotto__damping damping = {.first = 2, .range = 2, .added = 0.01, .window = 1000};
    double most = sotto__run_damped(&damping, 1000000, 2), y = 4 * (most - 2);
    assert_near(y + y * y / 12, 1000 * 4 * 0.01, 1e-12);
    assert_true(sotto__run_damped(&damping, 1, most) == most);
    assert_true(sotto__run_damped(&damping, 1, 100) == most);
    const sotto__damping still = {.first = 2, .range = 2, .added = 0.01};
    assert_true(sotto__run_damped(&damping, 500, 2) == sotto__run_damped(&still, 500, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_report_changes_nothing),
        cmocka_unit_test(the_first_report_adds_all_and_the_next_less),
        cmocka_unit_test(a_precision_below_the_first_counts_as_the_first),
        cmocka_unit_test(many_reports_at_once_are_as_many_one_by_one),
        cmocka_unit_test(a_billion_reports_end_where_the_square_says),
        cmocka_unit_test(under_drift_it_stays_at_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
