/* Sums of steps and products of weights: against loops in higher precision, and by hand. */
#include "server/step_sum.h"
#include "test.h"

#include <math.h>

/* The definition, in long double. */
static long double loop_sum(sotto_step step, const sotto__clock *clock)
{
    long double sum = 0;
    for (uint64_t u = 0; u < clock->count; u++) {
        long double s = (long double)clock->first + (long double)clock->stride * (long double)u;
        if (s < clock->lo) s = clock->lo;
        if (s > clock->hi) s = clock->hi;
        sum += 1 / (step == SOTTO_STEP_SQRT ? sqrtl(s) : s);
    }
    return sum;
}

static long double loop_kept(uint64_t before, uint64_t count, uint64_t window)
{
    long double kept = 1;
    for (uint64_t u = before + 1; u <= before + count; u++) {
        uint64_t t = window > 0 && u > window ? window : u;
        kept *= 1 - 4 / ((long double)t + 3);
    }
    return kept;
}

static void assert_relative(double got, long double wanted, double tolerance)
{
    assert_near((double)(got / wanted), 1, tolerance);
}

static void no_reading_adds_nothing(void **state)
{
    (void)state;
    sotto__clock clock = {.first = 1, .stride = 1, .count = 0, .lo = 1, .hi = INFINITY};
    assert_true(sotto__step_sum(SOTTO_STEP_INVERSE, &clock) == 0);
    assert_true(sotto__step_sum(SOTTO_STEP_SQRT, &clock) == 0);
    assert_true(sotto__average_kept(7, 0, 0) == 1);
    assert_true(sotto__average_kept(7, 0, 5) == 1);
}

/* 1 + 1/2 + 1/3 + 1/4; 1/4 + 1/4 + 1/4 + 1/5 + 1/6 + 1/6 with lo = 4, hi = 6 from 2 on. */
static void few_readings_by_hand(void **state)
{
    (void)state;
    sotto__clock plain = {.first = 1, .stride = 1, .count = 4, .lo = 1, .hi = INFINITY};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &plain), 25.0 / 12, 1e-15);
    assert_near(sotto__step_sum(SOTTO_STEP_SQRT, &plain), 1 + sqrt(0.5) + sqrt(1 / 3.0) + 0.5,
                1e-15);
    sotto__clock clipped = {.first = 2, .stride = 1, .count = 6, .lo = 4, .hi = 6};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &clipped), 0.95 + 1.0 / 3, 1e-15);
}

static void sums_are_those_of_the_loop(void **state)
{
    (void)state;
    static const double firsts[] = {-5000, 0.25, 1, 2, 63, 64, 1000.5, 3e6, 4e12};
    static const double strides[] = {1, 1.0 / 3, 0.01};
    static const double tops[] = {INFINITY, 2, 700, 1e5};
    static const uint64_t counts[] = {1, 60, 64, 65, 4097, 9000};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        for (size_t j = 0; j < 3 * 4 * 6; j++) {
            sotto__clock clock = {.first = firsts[i],
                                  .stride = strides[j % 3],
                                  .count = counts[j / 3 % 6],
                                  .lo = strides[j % 3],
                                  .hi = tops[j / 18]};
            for (int step = 0; step < 2; step++) {
                double got = sotto__step_sum((sotto_step)step, &clock);
                assert_relative(got, loop_sum((sotto_step)step, &clock), 1e-14);
            }
        }
    }
}

static void sums_of_two_hundred_thousand_are_those_of_the_loop(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++) {
        sotto__clock still = {.first = 2, .stride = 1, .count = 200000, .lo = 1, .hi = INFINITY};
        double got = sotto__step_sum((sotto_step)step, &still);
        assert_relative(got, loop_sum((sotto_step)step, &still), 1e-14);
        sotto__clock drift = {.first = -7, .stride = 0.1, .count = 200000, .lo = 0.1, .hi = 9000};
        got = sotto__step_sum((sotto_step)step, &drift);
        assert_relative(got, loop_sum((sotto_step)step, &drift), 1e-14);
    }
}

/* A clock that stands still at one end all the time. */
static void clocks_may_stay_outside_their_limits(void **state)
{
    (void)state;
    sotto__clock low = {.first = -1e9, .stride = 1, .count = 5000, .lo = 0.5, .hi = 8};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &low), 10000, 1e-9);
    sotto__clock high = {.first = 9, .stride = 1, .count = 5000, .lo = 0.5, .hi = 8};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &high), 625, 1e-9);
    sotto__clock point = {.first = 1, .stride = 1, .count = 5000, .lo = 4, .hi = 4};
    assert_near(sotto__step_sum(SOTTO_STEP_SQRT, &point), 2500, 1e-9);
}

/* More reports than any loop could take: log 2 and 2 (sqrt 2 - 1) sqrt t. */
static void the_largest_epochs_are_summed(void **state)
{
    (void)state;
    double t = ldexp(1, 60);
    sotto__clock clock = {
        .first = t, .stride = 1, .count = UINT64_C(1) << 60, .lo = 1, .hi = INFINITY};
    assert_near(sotto__step_sum(SOTTO_STEP_INVERSE, &clock), log(2), 1e-15);
    assert_relative(sotto__step_sum(SOTTO_STEP_SQRT, &clock), 2 * (sqrtl(2) - 1) * ldexp(1, 30),
                    1e-15);
}

static void products_are_those_of_the_loop(void **state)
{
    (void)state;
    static const uint64_t befores[] = {0, 1, 2, 50, 4999, 5000, 5001, 1000000};
    static const uint64_t counts[] = {1, 2, 100, 4097, 20000};
    static const uint64_t windows[] = {0, 2, 300, 5000, 30000, 1000000000};
    for (size_t i = 0; i < 8 * 5 * 6; i++) {
        uint64_t before = befores[i % 8], count = counts[i / 8 % 5], window = windows[i / 40];
        double got = sotto__average_kept(before, count, window);
        long double wanted = loop_kept(before, count, window);
        assert_near(got, (double)wanted, 1e-15);
        if (wanted > 1e-250L) assert_relative(got, wanted, 1e-12);
    }
}

/* t = 1 has weight 1: nothing before it is kept, with any window. */
static void the_first_report_is_all_there_is(void **state)
{
    (void)state;
    assert_true(sotto__average_kept(0, 5000, 0) == 0);
    assert_true(sotto__average_kept(0, 5000, 100) == 0);
    assert_true(sotto__average_kept(0, 5000, 1) == 0);
    assert_true(sotto__average_kept(9, 5000, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_reading_adds_nothing),
        cmocka_unit_test(few_readings_by_hand),
        cmocka_unit_test(sums_are_those_of_the_loop),
        cmocka_unit_test(sums_of_two_hundred_thousand_are_those_of_the_loop),
        cmocka_unit_test(clocks_may_stay_outside_their_limits),
        cmocka_unit_test(the_largest_epochs_are_summed),
        cmocka_unit_test(products_are_those_of_the_loop),
        cmocka_unit_test(the_first_report_is_all_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
