/* No two methods look alike, also to those who see no colour. */
#include "lab/page/figure_style.h"
#include "lab/page/html_style.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static void colours_and_marks_are_all_different(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        sotto__style style = sotto__figure_style((sotto_player)i, 0);
        assert_int_equal(strlen(style.colour), 6);
        assert_int_equal(strspn(style.colour, "0123456789ABCDEF"), 6);
        for (uint32_t j = 0; j < i; j++) {
            sotto__style other = sotto__figure_style((sotto_player)j, 0);
            assert_string_not_equal(style.colour, other.colour);
            assert_int_not_equal(style.mark, other.mark);
        }
    }
}

/* All stand out from white, 2:1 at the least. */
static void none_is_pale(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        double light = luminance(sotto__figure_style((sotto_player)i, 0).colour);
        assert_true(1.05 / (light + 0.05) > 2);
    }
}

/* What is private is solid and has a filled mark, but for best-arm, a yardstick, for which none is left;
 * baselines are broken and open. */
static void private_methods_are_solid(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        sotto__style style = sotto__figure_style((sotto_player)i, 0);
        bool private = sotto_player_is_private((sotto_player)i);
        assert_int_equal(strcmp(style.dash, "") == 0, private);
        bool filled = private && i != SOTTO_PLAYER_BEST_ARM;
        assert_int_equal(style.mark >= 5 && style.mark % 2 == 1, filled);
        assert_in_range(style.mark, 1, 15);
    }
}

static void sotto_is_the_strongest(void **state)
{
    (void)state;
    for (uint32_t i = SOTTO_PLAYER_SOTTO + 1; i < SOTTO_PLAYERS; i++) {
        double width = sotto__figure_style((sotto_player)i, 0).width;
        assert_true(width > 0);
        assert_true(width < sotto__figure_style(SOTTO_PLAYER_SOTTO, 0).width);
    }
}

/* Curves of one method differ by their line alone. */
static void dashes_tell_curves_of_a_method_apart(void **state)
{
    (void)state;
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
static void the_stylesheet_has_the_same_colours(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_and_marks_are_all_different),
        cmocka_unit_test(none_is_pale),
        cmocka_unit_test(private_methods_are_solid),
        cmocka_unit_test(sotto_is_the_strongest),
        cmocka_unit_test(dashes_tell_curves_of_a_method_apart),
        cmocka_unit_test(the_stylesheet_has_the_same_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
