/* How long a report still waits, whatever people do to the time of day. */
#include "test.h"
#include "transport/clock.h"

static void test_a_time_that_is_not_known_is_now(void **state)
{
    (void)state;
    assert_int_equal(sotto__clock_left_ms(1000, 0, 0), 0);
    assert_int_equal(sotto__clock_left_ms(1000, 0, 5000), 0);
}

static void test_a_time_that_is_over_is_now(void **state)
{
    (void)state;
    assert_int_equal(sotto__clock_left_ms(5000, 1000, 5000), 0);
    assert_int_equal(sotto__clock_left_ms(UINT64_MAX, 1000, 5000), 0);
}

static void test_a_time_to_come_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(sotto__clock_left_ms(1000, 1000, 5000), 4000);
    assert_int_equal(sotto__clock_left_ms(4999, 1000, 5000), 1);
}

static void test_a_clock_that_went_back_costs_the_whole_wait_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(sotto__clock_left_ms(999, 1000, 5000), 4000);
    assert_int_equal(sotto__clock_left_ms(0, 1000, 5000), 4000);
}

static void test_the_clocks_of_the_system_go(void **state)
{
    (void)state;
    sotto__clock clock = sotto__clock_system();
    assert_true(clock.day_ms(clock.state) > UINT64_C(1600000000000));
    uint64_t before = clock.steady_ms(clock.state);
    assert_true(clock.steady_ms(clock.state) >= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_time_that_is_not_known_is_now),
        cmocka_unit_test(test_a_time_that_is_over_is_now),
        cmocka_unit_test(test_a_time_to_come_is_waited_for),
        cmocka_unit_test(test_a_clock_that_went_back_costs_the_whole_wait_and_no_more),
        cmocka_unit_test(test_the_clocks_of_the_system_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
