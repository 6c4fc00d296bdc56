/* What all drawings of a figure have in common. */
#include "lab/page/figure_layout.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define MANY 5000u

static const double x[] = {1, 10, 100, 1000, 10000};

static sotto__figure figure_of(const sotto__curve *curve, uint32_t curves_count, bool log)
{
    return (sotto__figure){.x_log = log,
                           .x_label = "people",
                           .panels_count = 1,
                           .panel = {{NULL, "regret", log, curve, curves_count}}};
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

static void points_without_a_place_are_gaps(void **state)
{
    (void)state;
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

/* The first point after a gap is drawn, however near it is to the last one before. */
static void a_curve_begins_again_after_a_gap(void **state)
{
    (void)state;
    const double t[] = {0, 50, 50.01, 50.02, 100}, y[] = {0, 50, NAN, 50, 100};
    const sotto__curve curve = {.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = t, .y = y};
    sotto__figure figure = figure_of(&curve, 1, false);
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    assert_int_equal(drawn_of(&axes, &curve), 4);
}

/* What cannot be seen is left out; a jump is kept; so are both ends. */
static void points_too_near_to_be_seen_are_left_out(void **state)
{
    (void)state;
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

/* The same words, the same y axis; the x axis is of the panel. */
static void panels_with_the_same_words_share_their_axis(void **state)
{
    (void)state;
    const double low[] = {1, 1, 1, 1, 1}, high[] = {1e4, 1e4, 1e4, 1e4, 1e4};
    const sotto__curve curve[] = {{.player = SOTTO_PLAYER_SOTTO, .count = 3, .x = x, .y = low},
                                  {.player = SOTTO_PLAYER_OLS, .count = 5, .x = x, .y = high}};
    sotto__figure figure = figure_of(curve, 1, true);
    figure.panels_count = 3;
    figure.panel[1] = (sotto__panel){NULL, "regret", true, &curve[1], 1};
    figure.panel[2] = (sotto__panel){NULL, "share", true, &curve[1], 1};
    sotto__axes first = sotto__figure_axes(&figure, 0), second = sotto__figure_axes(&figure, 1);
    sotto__axes third = sotto__figure_axes(&figure, 2);
    assert_near(first.y.lo, pow(10, -0.16), 1e-9);
    assert_near(first.y.hi, pow(10, 4.16), 1e-4);
    assert_near(second.y.lo, first.y.lo, 0);
    assert_near(first.x.hi, 100, 1e-9);
    assert_near(second.x.hi, 1e4, 1e-9);
    assert_true(third.y.lo > 1000);
}

/* On a logarithmic axis there is room for a band down to a tenth of the mean. */
static void bands_are_held(void **state)
{
    (void)state;
    const double y[] = {1, 1, 1, 1, 1}, lo[] = {-3, 0, 1e-9, 0.5, 1}, hi[] = {10, 2, 2, 2, 2};
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y, .lo = lo, .hi = hi};
    sotto__figure figure = figure_of(&curve, 1, true);
    assert_near(sotto__figure_axes(&figure, 0).y.lo, pow(10, -1.08), 1e-9);
    figure.panel[0].y_log = false;
    assert_near(sotto__figure_axes(&figure, 0).y.lo, -3.52, 1e-9);
}

/* Seven, spread over the axis, elsewhere on each curve; one for a curve of one point. */
static void marks_are_few(void **state)
{
    (void)state;
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
    assert_int_equal(point[1], 833);
    assert_int_equal(sotto__curve_marks(&axes, &figure.panel[0], 1, point), 7);
    assert_int_equal(point[0], 357);
    assert_int_equal(sotto__curve_marks(&axes, &figure.panel[0], 2, point), 1);
}

/* One line for curves that look alike, in the order of the methods. */
static void the_legend_names_each_curve_once(void **state)
{
    (void)state;
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_OLS},
        {.player = SOTTO_PLAYER_SOTTO, .label = "sotto, 5", .dash = 1},
        {.player = SOTTO_PLAYER_SOTTO},
        {.player = SOTTO_PLAYER_LDP_SGD},
        {.player = SOTTO_PLAYER_LDP_SGD, .dash = 1},
    };
    sotto__figure figure = figure_of(curve, 3, true);
    figure.panels_count = 2;
    figure.panel[1] = (sotto__panel){NULL, "regret", true, &curve[1], 4};
    const char *const wanted[] = {"sotto, 5", "sotto", "ldp-sgd", "ldp-sgd", "ols"};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(sotto__curve_label(sotto__figure_legend(&figure, i)), wanted[i]);
    }
    assert_null(sotto__figure_legend(&figure, 5));
}

static void text_is_broken_at_spaces(void **state)
{
    (void)state;
    assert_int_equal(sotto__text_characters("±½ä"), 3);
    assert_int_equal(sotto__text_line("one two three", 8), 7);
    assert_int_equal(sotto__text_line("ä two", 3), 2);
    assert_int_equal(sotto__text_line("without_a_space", 4), 4);
    assert_string_equal(sotto__text_next("one  two", 3), "two");
    assert_int_equal(sotto__text_lines("one two three", 8), 2);
    assert_int_equal(sotto__text_lines("", 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_without_a_place_are_gaps),
        cmocka_unit_test(a_curve_begins_again_after_a_gap),
        cmocka_unit_test(points_too_near_to_be_seen_are_left_out),
        cmocka_unit_test(panels_with_the_same_words_share_their_axis),
        cmocka_unit_test(bands_are_held),
        cmocka_unit_test(marks_are_few),
        cmocka_unit_test(the_legend_names_each_curve_once),
        cmocka_unit_test(text_is_broken_at_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
