/* What all drawings of a figure share. */
#include "lab/page/inner.h"
#include "test.h"

#include <strings.h>

#define MANY 5000u

static const double x[] = {1, 10, 100, 1000, 10000};

static sotto__figure figure_of(const sotto__curve *curve, uint32_t curves_count, bool log)
{
    return (sotto__figure){.x_log = log,
                           .x_label = "people",
                           .panels_count = 1,
                           .panel = {{NULL, "regret", log, curve, curves_count, NULL, {0, 0}}}};
}

static uint32_t drawn_of(const sotto__axes *axes, const sotto__curve *curve)
{
    double last[2] = {-1, -1};
    uint32_t count = 0;
    for (uint32_t i = 0; i < curve->count; i++) {
        count += sotto__curve_fate(axes, curve, i, last) == SOTTO__FATE_DRAWN;
    }
    return count;
}

TEST(points_without_a_place_are_gaps)
{
    const double y[] = {1, NAN, 0, 4, 5}, lo[] = {-1, 1, 1, INFINITY, 1}, hi[] = {2, 2, 2, 5, 20};
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y, .lo = lo, .hi = hi};
    static const sotto__fate wanted[] = {SOTTO__FATE_DRAWN, SOTTO__FATE_GAP, SOTTO__FATE_GAP,
                                         SOTTO__FATE_DRAWN, SOTTO__FATE_DRAWN};
    sotto__figure figure = figure_of(&curve, 1, true);
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    double last[2] = {-1, -1};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sotto__curve_fate(&axes, &curve, i, last), wanted[i]);
    }
    assert_false(sotto__curve_is_banded(&axes, &curve, 3));
    assert_true(sotto__curve_is_banded(&axes, &curve, 4));
    assert_near(sotto__curve_low(&axes, &curve, 0), axes.y.lo, 0); /* cut off */
    assert_near(sotto__curve_low(&axes, &curve, 4), 1, 0);
}

/* The first point after a gap is drawn, even if it is close to the last point before the gap. */
TEST(a_curve_begins_again_after_a_gap)
{
    const double t[] = {0, 50, 50.01, 50.02, 100}, y[] = {0, 50, NAN, 50, 100};
    const sotto__curve curve = {.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = t, .y = y};
    sotto__figure figure = figure_of(&curve, 1, false);
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    assert_int_equal(drawn_of(&axes, &curve), 4);
}

/* Points too close to see are left out; jumps and both ends are kept. */
TEST(points_too_near_to_be_seen_are_left_out)
{
    static double t[MANY], y[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        t[i] = 1 + i;
        y[i] = i == 2500 ? 1000 : 1;
    }
    const sotto__curve curve = {.player = SOTTO_PLAYER_SOTTO, .count = MANY, .x = t, .y = y};
    sotto__figure figure = figure_of(&curve, 1, false);
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    double last[2] = {-1, -1};
    assert_in_range(drawn_of(&axes, &curve), 300, 450);
    assert_int_equal(sotto__curve_fate(&axes, &curve, 0, last), SOTTO__FATE_DRAWN);
    assert_int_equal(sotto__curve_fate(&axes, &curve, 1, last), SOTTO__FATE_HIDDEN);
    assert_int_equal(sotto__curve_fate(&axes, &curve, 2500, last), SOTTO__FATE_DRAWN);
    assert_int_equal(sotto__curve_fate(&axes, &curve, MANY - 1, last), SOTTO__FATE_DRAWN);
}

/* Panels with the same words share the y axis; each has its own x axis. */
TEST(panels_with_the_same_words_share_their_axis)
{
    const double low[] = {1, 1, 1, 1, 1}, high[] = {1e4, 1e4, 1e4, 1e4, 1e4};
    const sotto__curve curve[] = {{.player = SOTTO_PLAYER_SOTTO, .count = 3, .x = x, .y = low},
                                  {.player = SOTTO_PLAYER_OLS, .count = 5, .x = x, .y = high}};
    sotto__figure figure = figure_of(curve, 1, true);
    figure.panels_count = 3;
    figure.panel[1] = (sotto__panel){NULL, "regret", true, &curve[1], 1, NULL, {0, 0}};
    figure.panel[2] = (sotto__panel){NULL, "share", true, &curve[1], 1, NULL, {0, 0}};
    sotto__axes first = sotto__figure_axes(&figure, 0), second = sotto__figure_axes(&figure, 1);
    sotto__axes third = sotto__figure_axes(&figure, 2);
    assert_near(first.y.lo, pow(10, -0.16), 1e-9);
    assert_near(first.y.hi, pow(10, 4.16), 1e-4);
    assert_near(second.y.lo, first.y.lo, 0);
    assert_nears(1e-9, first.x.hi, 100, second.x.hi, 1e4);
    assert_true(third.y.lo > 1000);
}

/* On a logarithmic axis there is room for a band down to a tenth of the mean. */
TEST(bands_are_held)
{
    const double y[] = {1, 1, 1, 1, 1}, lo[] = {-3, 0, 1e-9, 0.5, 1}, hi[] = {10, 2, 2, 2, 2};
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y, .lo = lo, .hi = hi};
    sotto__figure figure = figure_of(&curve, 1, true);
    assert_near(sotto__figure_axes(&figure, 0).y.lo, pow(10, -1.08), 1e-9);
    figure.panel[0].y_log = false;
    assert_near(sotto__figure_axes(&figure, 0).y.lo, -3.52, 1e-9);
}

/* Seven marks spread over the axis, at other places on each curve; one for a curve with one
 * point. */
TEST(marks_are_few)
{
    static double t[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        t[i] = i;
    }
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_SOTTO, .count = MANY, .x = t, .y = t},
        {.player = SOTTO_PLAYER_OLS, .count = MANY, .x = t, .y = t},
        {.player = SOTTO_PLAYER_SGD, .count = 1, .x = t, .y = t},
    };
    sotto__figure figure = figure_of(curve, 3, false);
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    uint32_t point[SOTTO__MARKS];
    assert_int_equal(sotto__curve_marks(&axes, &figure.panel[0], 0, point), 7);
    assert_int_equal(point[0], 119); /* at (k + (curve + 1/2)/3)/7 of 4999 */
    assert_ints(point[1], 833, sotto__curve_marks(&axes, &figure.panel[0], 1, point), 7);
    assert_ints(point[0], 357, sotto__curve_marks(&axes, &figure.panel[0], 2, point), 1);
}

/* One line for curves that look alike, in the order of the methods. */
TEST(the_legend_names_each_curve_once)
{
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_OLS},
        {.player = SOTTO_PLAYER_SOTTO, .label = "sotto, 5", .dash = 1},
        {.player = SOTTO_PLAYER_SOTTO},
        {.player = SOTTO_PLAYER_LDP_SGD},
        {.player = SOTTO_PLAYER_LDP_SGD, .dash = 1},
    };
    sotto__figure figure = figure_of(curve, 3, true);
    figure.panels_count = 2;
    figure.panel[1] = (sotto__panel){NULL, "regret", true, &curve[1], 4, NULL, {0, 0}};
    const char *const wanted[] = {"sotto, 5", "sotto", "ldp-sgd", "ldp-sgd", "ols"};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(sotto__curve_label(sotto__figure_legend(&figure, i)), wanted[i]);
    }
    assert_null(sotto__figure_legend(&figure, 5));
}

TEST(text_is_broken_at_spaces)
{
    assert_ints(sotto__text_characters("±½ä"), 3, sotto__text_line("one two three", 8), 7);
    assert_ints(sotto__text_line("ä two", 3), 2, sotto__text_line("without_a_space", 4), 4);
    assert_string_equal(sotto__text_next("one  two", 3), "two");
    assert_ints(sotto__text_lines("one two three", 8), 2, sotto__text_lines("", 8), 0);
}

/* Axes: what they contain, where they end, and their ticks. */

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

TEST(what_has_no_place_is_not_held)
{
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
        assert_true(axis.lo > axis.hi && sotto__axis_takes(&axis, 1e200));
        assert_true(sotto__axis_takes(&axis, 1e-200));
    }
}

/* Whatever its values, an axis has a positive length. */
TEST(every_axis_can_be_drawn)
{
    const double value[] = {-1e200, -5, 0, 1e-320, 1e-200, 1e-9, 1, 1.0000000001, 7, 1e200};
    sotto__tick tick[SOTTO__TICKS_MAX];
    for (int log = 0; log < 2; log++) {
        sotto__axis none = sotto__axis_empty(log);
        sotto__axis_settle(&none, 0);
        assert_nears(1e-12, none.lo, log, none.hi, log ? 10 : 1);
        for (size_t i = 0; i < 10; i++) {
            for (size_t j = 0; j < 10; j++) {
                sotto__axis axis = axis_of(log, value[i], value[j], 0.04);
                assert_true(axis.lo < axis.hi && isfinite(axis.hi - axis.lo));
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

TEST(room_is_left_at_both_ends)
{
    sotto__axis linear = axis_of(false, 100, 200, 0.1), log = axis_of(true, 1, 100, 0.1);
    assert_nears(1e-9, linear.lo, 90, linear.hi, 210, log10(log.lo), -0.2, log10(log.hi), 2.2);
    assert_near(axis_of(false, 9, 100, 0).lo, 0, 0); /* nearly 0 is 0 */
    assert_nears(0, axis_of(false, 11, 100, 0).lo, 11, axis_of(false, -9, 100, 0).lo, -9);
}

TEST(places_are_parts_of_the_length)
{
    sotto__axis linear = axis_of(false, -10, 30, 0), log = axis_of(true, 1, 1e4, 0);
    assert_nears(1e-12, sotto__axis_at(&linear, -10), 0, sotto__axis_at(&linear, 0), 0.25);
    assert_nears(1e-12, sotto__axis_at(&log, 10), 0.25, sotto__axis_at(&log, 1e4), 1);
}

TEST(linear_ticks)
{
    ticks_are(axis_of(false, 0, 1, 0), "0=0 0.2=0.2 0.4=0.4 0.6=0.6 0.8=0.8 1=1");
    ticks_are(axis_of(false, -3, 3, 0), "-3=-3 -2=-2 -1=-1 0=0 1=1 2=2 3=3");
    ticks_are(axis_of(false, 0, 12000, 0),
              "0=0 2,000=2000 4,000=4000 6,000=6000 8,000=8000 10,000=10000 12,000=12000");
    ticks_are(axis_of(false, 0, 180000, 0), "0=0 50,000=50000 100,000=100000 150,000=150000");
    ticks_are(axis_of(false, 0, 0.00005, 0),
              "0=0 10⁻⁵=1e-05 2·10⁻⁵=2e-05 3·10⁻⁵=3e-05 4·10⁻⁵=4e-05 5·10⁻⁵=5e-05");
    ticks_are(axis_of(false, -2e7, 0, 0),
              "-2·10⁷=-20000000 -1.5·10⁷=-15000000 -1·10⁷=-10000000 -5·10⁶=-5000000 0=0");
    /* Rounded to whole numbers, the labels would all be equal. */
    ticks_are(axis_of(false, 1000, 1000.4, 0),
              "1,000=1000 1000.1=1000.1 1000.2=1000.2 1000.3=1000.3 1000.4=1000.4");
}

TEST(logarithmic_ticks)
{
    /* Three powers or more: ticks at the powers, and unlabelled ones at the digits between. */
    ticks_are(axis_of(true, 0.08, 30, 0),
              "0.08 0.09 0.1=0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1=1 2 3 4 5 6 7 8 9 10=10 20 30");
    /* More powers than fit: every second one, and nothing between. */
    ticks_are(axis_of(true, 1, 1e9, 0), "10⁰=1 10²=100 10⁴=10000 10⁶=1000000 10⁸=100000000");
    /* Fewer: 1, 2 and 5 of each. */
    ticks_are(axis_of(true, 3, 40, 0), "3 4 5=5 6 7 8 9 10=10 20=20 30 40");
    ticks_are(axis_of(true, 1.5e5, 1.2e6, 0),
              "200,000=200000 300000 400000 500,000=500000 600000 700000 800000 900000 "
              "1,000,000=1000000");
    /* Much less than a decade: as on a linear axis. */
    ticks_are(axis_of(true, 3, 4, 0), "3=3 3.2=3.2 3.4=3.4 3.6=3.6 3.8=3.8 4=4");
}

/* No two methods look alike, even without colour. */

/* Relative luminance by the formula of WCAG 2. */
static double luminance(const char *colour)
{
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const char digits[] = {colour[2 * i], colour[2 * i + 1], '\0'};
        double v = (double)strtol(digits, NULL, 16) / 255;
        sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

TEST(colours_and_marks_are_all_different)
{
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        sotto__style style = sotto__figure_style((sotto_player)i, 0);
        assert_ints(strlen(style.colour), 6, strspn(style.colour, "0123456789ABCDEF"), 6);
        for (uint32_t j = 0; j < i; j++) {
            sotto__style other = sotto__figure_style((sotto_player)j, 0);
            assert_string_not_equal(style.colour, other.colour);
            assert_true(style.mark != other.mark || strcmp(style.dash, other.dash) != 0);
            if (!sotto_player_is_rival((sotto_player)i)) {
                assert_int_not_equal(style.mark, other.mark);
            }
        }
    }
}

/* All stand out from white, 2:1 at the least. */
TEST(none_is_pale)
{
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        double light = luminance(sotto__figure_style((sotto_player)i, 0).colour);
        assert_true(1.05 / (light + 0.05) > 2);
    }
}

/* Private methods are solid with filled marks, except best-arm, a yardstick, for which no filled
 * mark is left; baselines are dashed and open, rivals dashed and filled. */
TEST(private_methods_are_solid)
{
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        sotto__style style = sotto__figure_style((sotto_player)i, 0);
        bool private = sotto_player_is_private((sotto_player)i);
        assert_int_equal(strcmp(style.dash, "") == 0, private);
        bool rival = sotto_player_is_rival((sotto_player)i);
        bool filled = rival || (private && i != SOTTO_PLAYER_BEST_ARM);
        assert_int_equal(style.mark >= 5 && style.mark % 2 == 1, filled);
        assert_in_range(style.mark, 1, 15);
    }
}

TEST(sotto_is_the_strongest)
{
    for (uint32_t i = SOTTO_PLAYER_SOTTO + 1; i < SOTTO_PLAYERS; i++) {
        double width = sotto__figure_style((sotto_player)i, 0).width;
        assert_true(width > 0 && width < sotto__figure_style(SOTTO_PLAYER_SOTTO, 0).width);
    }
}

/* Curves of one method differ only in their line. */
TEST(dashes_tell_curves_of_a_method_apart)
{
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        sotto__style own = sotto__figure_style((sotto_player)i, 0);
        for (uint32_t dash = 0; dash < SOTTO__DASHES; dash++) {
            sotto__style style = sotto__figure_style((sotto_player)i, dash);
            assert_string_equal(style.colour, own.colour);
            assert_int_equal(style.mark, own.mark);
            for (uint32_t other = 0; other < dash; other++) {
                const char *before = sotto__figure_style((sotto_player)i, other).dash;
                assert_string_not_equal(style.dash, before);
            }
        }
        assert_string_equal(sotto__figure_style((sotto_player)i, SOTTO__DASHES).dash, own.dash);
    }
}

/* The colour of a method in a part of the stylesheet: six digits, or NULL. */
static const char *colour_in(const char *css, const char *end, const char *name)
{
    char rule[100];
    snprintf(rule, sizeof rule, ".m-%s { color: #", name);
    const char *found = strstr(css, rule);
    return found == NULL || found >= end ? NULL : found + strlen(rule);
}

/* Pages, SVG files, PNG and PDF have one colour per method. */
TEST(the_stylesheet_has_the_same_colours)
{
    const char *dark = strstr(sotto__figure_css, "prefers-color-scheme: dark");
    const char *end = sotto__figure_css + strlen(sotto__figure_css);
    assert_non_null(dark);
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        const char *name = sotto_player_name(i), *wanted = sotto__figure_style(i, 0).colour;
        const char *light = colour_in(sotto__figure_css, dark, name);
        if (light == NULL || strncasecmp(light, wanted, 6) != 0) fail_msg("%s", name);
        const char *other = colour_in(dark, end, name); /* or the same as in the light */
        double luminous = luminance(other != NULL ? other : light);
        if ((luminous + 0.05) / (luminance("15171A") + 0.05) < 3) fail_msg("%s is dark", name);
    }
}
