/* Time. */
#include "service/system/clock.h"
#include "test.h"

#include <time.h>

static time_t wall;
time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    if (out != NULL) *out = wall;
    return wall;
}

static void a_wall_clock_before_1970_is_minute_0(void **state)
{
    (void)state;
    wall = -1;
    assert_int_equal(clock_minute(), 0);
}

static void minutes_count_whole_minutes(void **state)
{
    (void)state;
    wall = 1763297999;
    assert_int_equal(clock_minute(), 29388299);
    wall = 1763298000;
    assert_int_equal(clock_minute(), 29388300);
}

static void steady_time_does_not_follow_the_wall_clock(void **state)
{
    (void)state;
    wall = 1763298000;
    uint64_t before = clock_steady_ms();
    struct timespec pause = {.tv_nsec = 3000000};
    nanosleep(&pause, NULL);
    wall = 1;
    assert_true(clock_steady_ms() >= before + 2);
}

static void milliseconds_and_microseconds_are_of_one_clock(void **state)
{
    (void)state;
    uint64_t before_ms = clock_steady_ms(), us = clock_steady_us(), after_ms = clock_steady_ms();
    assert_in_range(us / 1000, before_ms, after_ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_clock_before_1970_is_minute_0),
        cmocka_unit_test(minutes_count_whole_minutes),
        cmocka_unit_test(steady_time_does_not_follow_the_wall_clock),
        cmocka_unit_test(milliseconds_and_microseconds_are_of_one_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
