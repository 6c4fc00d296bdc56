/* Axes: what they hold, where they end, and their ticks. */
#include "lab/page/figure_axis.h"
#include "test.h"

#include <math.h>
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

static void ticks_are(sotto__axis axis, const char *wanted)
{
    char text[TEXT_BYTES] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    sotto__axis_ticks(&axis, true, out);
    fclose(out);
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
    char text[TEXT_BYTES];
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
                FILE *out = fmemopen(text, sizeof text, "w");
                sotto__axis_ticks(&axis, true, out);
                assert_int_equal(ferror(out), 0);
                fclose(out);
                assert_non_null(strchr(text, ','));
                assert_null(strstr(text, "nan"));
                assert_null(strstr(text, "inf"));
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
    ticks_are(axis_of(false, 0, 1, 0),
              "('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)");
    ticks_are(axis_of(false, -3, 3, 0), "('-3' -3, '-2' -2, '-1' -1, '0' 0, '1' 1, '2' 2, '3' 3)");
    ticks_are(axis_of(false, 0, 12000, 0),
              "('0' 0, '2000' 2000, '4000' 4000, '6000' 6000, '8000' 8000, '10000' 10000, "
              "'12000' 12000)");
    ticks_are(axis_of(false, 0, 180000, 0),
              "('0' 0, '5·10^{4}' 50000, '10^{5}' 100000, '1.5·10^{5}' 150000)");
    ticks_are(axis_of(false, 0, 0.0005, 0),
              "('0' 0, '10^{-4}' 0.0001, '2·10^{-4}' 0.0002, '3·10^{-4}' 0.0003, "
              "'4·10^{-4}' 0.0004, '5·10^{-4}' 0.0005)");
    ticks_are(axis_of(false, -2e5, 0, 0),
              "('-2·10^{5}' -200000, '-1.5·10^{5}' -150000, '-1·10^{5}' -100000, "
              "'-5·10^{4}' -50000, '0' 0)");
}

static void logarithmic_ticks(void **state)
{
    (void)state;
    /* Three powers and more: those, with the digits between them. */
    ticks_are(axis_of(true, 0.08, 30, 0),
              "('' 0.08 1, '' 0.09 1, '10^{-1}' 0.1, '' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, "
              "'' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '10^{0}' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, "
              "'' 6 1, '' 7 1, '' 8 1, '' 9 1, '10^{1}' 10, '' 20 1, '' 30 1)");
    /* More than fit: every second, and nothing between. */
    ticks_are(axis_of(true, 1, 1e9, 0), "('10^{0}' 1, '10^{2}' 100, '10^{4}' 10000, "
                                        "'10^{6}' 1000000, '10^{8}' 100000000)");
    /* Fewer: 1, 2 and 5 of each. */
    ticks_are(axis_of(true, 3, 40, 0), "('' 3 1, '' 4 1, '5' 5, '' 6 1, '' 7 1, '' 8 1, '' 9 1, "
                                       "'10' 10, '20' 20, '' 30 1, '' 40 1)");
    ticks_are(axis_of(true, 1.5e5, 1.2e6, 0),
              "('2·10^{5}' 200000, '' 300000 1, '' 400000 1, '5·10^{5}' 500000, '' 600000 1, "
              "'' 700000 1, '' 800000 1, '' 900000 1, '10^{6}' 1000000)");
    /* Much less than a decade: as on a linear axis. */
    ticks_are(axis_of(true, 3, 4, 0), "('3' 3, '3.2' 3.2, '3.4' 3.4, '3.6' 3.6, '3.8' 3.8, '4' 4)");
}

static void the_second_panel_has_no_labels(void **state)
{
    (void)state;
    const sotto__axis axis[] = {axis_of(true, 1, 1e9, 0), axis_of(false, 0, 4e6, 0)};
    const char *const wanted[] = {"('' 1, '' 100, '' 10000, '' 1000000, '' 100000000)",
                                  "('' 0, '' 1000000, '' 2000000, '' 3000000, '' 4000000)"};
    for (size_t i = 0; i < 2; i++) {
        char text[TEXT_BYTES] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        assert_non_null(out);
        sotto__axis_ticks(&axis[i], false, out);
        fclose(out);
        assert_string_equal(text, wanted[i]);
    }
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
        cmocka_unit_test(the_second_panel_has_no_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
