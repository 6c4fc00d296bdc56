/* Axes: what they hold, where they end, and their ticks. */
#include "lab/page/figure_axis.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 4000

static sotto__axis axis_of(bool log, double lo, double hi, double pad)
{
    sotto__axis axis = sotto__axis_empty(log);
    sotto__axis_hold(&axis, lo);
    sotto__axis_hold(&axis, hi);
    sotto__axis_settle(&axis, pad);
    return axis;
}

/* Label and value of each, or the value of one without a label. */
static void ticks_are(sotto__axis axis, const char *wanted)
{
    sotto__tick tick[SOTTO__TICKS_MAX];
    char text[TEXT_BYTES] = "";
    uint32_t count = sotto__axis_ticks(&axis, tick);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s%s%.10g", i == 0 ? "" : " ", tick[i].label,
                 tick[i].label[0] == '\0' ? "" : "=", tick[i].value);
    }
    assert_string_equal(text, wanted);
}

static void what_has_no_place_is_not_held(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e201, -1e201};
    const double bad_log[] = {0, -1, 1e-201};
    for (int log = 0; log < 2; log++) {
        sotto__axis axis = sotto__axis_empty(log);
        for (size_t i = 0; i < 5; i++) {
            assert_false(sotto__axis_takes(&axis, bad[i]));
            sotto__axis_hold(&axis, bad[i]);
        }
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(sotto__axis_takes(&axis, bad_log[i]), !log);
            if (log) sotto__axis_hold(&axis, bad_log[i]);
        }
        assert_true(axis.lo > axis.hi);
        assert_true(sotto__axis_takes(&axis, 1e200));
        assert_true(sotto__axis_takes(&axis, 1e-200));
    }
}

/* Whatever it holds, an axis has a length. */
static void every_axis_can_be_drawn(void **state)
{
    (void)state;
    const double value[] = {-1e200, -5, 0, 1e-320, 1e-200, 1e-9, 1, 1.0000000001, 7, 1e200};
    sotto__tick tick[SOTTO__TICKS_MAX];
    for (int log = 0; log < 2; log++) {
        sotto__axis none = sotto__axis_empty(log);
        sotto__axis_settle(&none, 0);
        assert_near(none.lo, log, 1e-12);
        assert_near(none.hi, log ? 10 : 1, 1e-12);
        for (size_t i = 0; i < 10; i++) {
            for (size_t j = 0; j < 10; j++) {
                sotto__axis axis = axis_of(log, value[i], value[j], 0.04);
                assert_true(axis.lo < axis.hi);
                assert_true(isfinite(axis.hi - axis.lo));
                assert_true(!log || axis.lo > 0);
                uint32_t count = sotto__axis_ticks(&axis, tick);
                assert_in_range(count, 2, SOTTO__TICKS_MAX);
                for (uint32_t t = 0; t < count; t++) {
                    assert_true(isfinite(tick[t].value));
                    assert_true(strlen(tick[t].label) < SOTTO__TICK_BYTES);
                    assert_null(strstr(tick[t].label, "nan"));
                    assert_null(strstr(tick[t].label, "inf"));
                }
            }
        }
    }
}

static void room_is_left_at_both_ends(void **state)
{
    (void)state;
    sotto__axis linear = axis_of(false, 100, 200, 0.1), log = axis_of(true, 1, 100, 0.1);
    assert_near(linear.lo, 90, 1e-9);
    assert_near(linear.hi, 210, 1e-9);
    assert_near(log10(log.lo), -0.2, 1e-9);
    assert_near(log10(log.hi), 2.2, 1e-9);
    assert_near(axis_of(false, 9, 100, 0).lo, 0, 0); /* nearly 0 is 0 */
    assert_near(axis_of(false, 11, 100, 0).lo, 11, 0);
    assert_near(axis_of(false, -9, 100, 0).lo, -9, 0);
}

static void places_are_parts_of_the_length(void **state)
{
    (void)state;
    sotto__axis linear = axis_of(false, -10, 30, 0), log = axis_of(true, 1, 1e4, 0);
    assert_near(sotto__axis_at(&linear, -10), 0, 1e-12);
    assert_near(sotto__axis_at(&linear, 0), 0.25, 1e-12);
    assert_near(sotto__axis_at(&log, 10), 0.25, 1e-12);
    assert_near(sotto__axis_at(&log, 1e4), 1, 1e-12);
}

static void linear_ticks(void **state)
{
    (void)state;
    ticks_are(axis_of(false, 0, 1, 0), "0=0 0.2=0.2 0.4=0.4 0.6=0.6 0.8=0.8 1=1");
    ticks_are(axis_of(false, -3, 3, 0), "-3=-3 -2=-2 -1=-1 0=0 1=1 2=2 3=3");
    ticks_are(axis_of(false, 0, 12000, 0),
              "0=0 2,000=2000 4,000=4000 6,000=6000 8,000=8000 10,000=10000 12,000=12000");
    ticks_are(axis_of(false, 0, 180000, 0), "0=0 50,000=50000 100,000=100000 150,000=150000");
    ticks_are(axis_of(false, 0, 0.00005, 0),
              "0=0 10⁻⁵=1e-05 2·10⁻⁵=2e-05 3·10⁻⁵=3e-05 4·10⁻⁵=4e-05 5·10⁻⁵=5e-05");
    ticks_are(axis_of(false, -2e7, 0, 0),
              "-2·10⁷=-20000000 -1.5·10⁷=-15000000 -1·10⁷=-10000000 -5·10⁶=-5000000 0=0");
    /* Rounded to whole numbers they would all be the same. */
    ticks_are(axis_of(false, 1000, 1000.4, 0),
              "1,000=1000 1000.1=1000.1 1000.2=1000.2 1000.3=1000.3 1000.4=1000.4");
}

static void logarithmic_ticks(void **state)
{
    (void)state;
    /* Three powers and more: those, with the digits between them. */
    ticks_are(axis_of(true, 0.08, 30, 0),
              "0.08 0.09 0.1=0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1=1 2 3 4 5 6 7 8 9 10=10 20 30");
    /* More than fit: every second, and nothing between. */
    ticks_are(axis_of(true, 1, 1e9, 0), "10⁰=1 10²=100 10⁴=10000 10⁶=1000000 10⁸=100000000");
    /* Fewer: 1, 2 and 5 of each. */
    ticks_are(axis_of(true, 3, 40, 0), "3 4 5=5 6 7 8 9 10=10 20=20 30 40");
    ticks_are(axis_of(true, 1.5e5, 1.2e6, 0),
              "200,000=200000 300000 400000 500,000=500000 600000 700000 800000 900000 "
              "1,000,000=1000000");
    /* Much less than a decade: as on a linear axis. */
    ticks_are(axis_of(true, 3, 4, 0), "3=3 3.2=3.2 3.4=3.4 3.6=3.6 3.8=3.8 4=4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_place_is_not_held),
        cmocka_unit_test(every_axis_can_be_drawn),
        cmocka_unit_test(room_is_left_at_both_ends),
        cmocka_unit_test(places_are_parts_of_the_length),
        cmocka_unit_test(linear_ticks),
        cmocka_unit_test(logarithmic_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
