#include "fleet/latency.h"
#include "test.h"

#include <math.h>

static void nothing_has_no_percentile(void **state)
{
    (void)state;
    sotto__latency latency = {0};
    assert_true(isnan(sotto__latency_at(&latency, 0.5)));
}

static void times_that_cannot_be_and_extreme_ones_are_counted_at_the_edge(void **state)
{
    (void)state;
    const double odd[] = {0, -1, NAN, 1e-9, INFINITY, 1e9};
    sotto__latency latency = {0};
    for (uint32_t i = 0; i < 6; i++) {
        sotto__latency_add(&latency, odd[i]);
    }
    assert_int_equal(latency.count, 6);
    assert_true(sotto__latency_at(&latency, 0.5) < 1e-5);
    assert_true(sotto__latency_at(&latency, 1) > 3600);
}

static void percentiles_are_right_to_a_few_per_cent(void **state)
{
    (void)state;
    sotto__latency latency = {0};
    for (uint32_t i = 1; i <= 10000; i++) {
        sotto__latency_add(&latency, i * 1e-4);
    }
    const double part[] = {0.01, 0.5, 0.9, 0.99, 1};
    for (uint32_t i = 0; i < 5; i++) {
        assert_near(sotto__latency_at(&latency, part[i]) / part[i], 1, 0.023);
    }
    assert_true(sotto__latency_at(&latency, 0) < 1.1e-4);
}

static void what_came_between_two_looks_is_told_alone(void **state)
{
    (void)state;
    sotto__latency before = {0}, after;
    for (uint32_t i = 0; i < 100; i++) {
        sotto__latency_add(&before, 1);
    }
    after = before;
    sotto__latency_add(&after, 0.001);
    sotto__latency between = sotto__latency_between(&before, &after);
    assert_int_equal(between.count, 1);
    assert_near(sotto__latency_at(&between, 0.99), 0.001, 0.00003);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_no_percentile),
        cmocka_unit_test(times_that_cannot_be_and_extreme_ones_are_counted_at_the_edge),
        cmocka_unit_test(percentiles_are_right_to_a_few_per_cent),
        cmocka_unit_test(what_came_between_two_looks_is_told_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
