/* Drawings that stand in one page with others. */
#include "lab/page/figure_svg.h"
#include "test.h"

#include <string.h>

#define TEXT_BYTES 2000

static void tidied_is(const char *svg, const char *wanted)
{
    char got[TEXT_BYTES] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    assert_non_null(out);
    sotto__figure_svg_tidy("fig-1", svg, out);
    fclose(out);
    assert_string_equal(got, wanted);
}

static bool inlines(const char *svg, char got[TEXT_BYTES])
{
    memset(got, 0, TEXT_BYTES);
    FILE *out = fmemopen(got, TEXT_BYTES, "w");
    assert_non_null(out);
    bool good = sotto__figure_svg_inline("<\"curves\">", svg, out);
    fclose(out);
    return good;
}

static void what_is_no_drawing_is_left_out(void **state)
{
    (void)state;
    const char *const bad[] = {"",
                               "<p>viewBox=\"0 0 1 2\"</p>",
                               "<svg",
                               "<svg viewBox=\"0 0 640 480\"",
                               "<svg></svg>",
                               "<svg></svg><a viewBox=\"0 0 1 2\">",
                               "<svg viewBox=\"0 0 wide high\"></svg>"};
    char got[TEXT_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(inlines(bad[i], got));
        assert_string_equal(got, "");
    }
}

static void a_drawing_gets_a_box_and_a_name(void **state)
{
    (void)state;
    char got[TEXT_BYTES];
    assert_true(
        inlines("<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg width=\"640\" height=\"480\"\n "
                "viewBox=\"0 0 640 480\" onload=\"x\">\n<g/></svg>\n",
                got));
    assert_string_equal(got, "<div class=\"drawing\">\n<svg viewBox=\"0 0 640 480\" role=\"img\" "
                             "aria-label=\"&lt;&quot;curves&quot;&gt;\">\n<g/></svg>\n</div>\n");
}

/* Two panels are scrolled on a phone, also by keyboard. */
static void a_wide_drawing_says_so(void **state)
{
    (void)state;
    char got[TEXT_BYTES];
    assert_true(inlines("<svg viewBox=\"0 0 1000 480\"></svg>", got));
    assert_string_equal(got,
                        "<div class=\"drawing\" tabindex=\"0\">\n<svg viewBox=\"0 0 1000 480\" "
                        "class=\"wide\" role=\"img\" "
                        "aria-label=\"&lt;&quot;curves&quot;&gt;\"></svg></div>\n");
}

static void ids_get_the_name_of_the_figure(void **state)
{
    (void)state;
    tidied_is("<use xlink:href='#gpPt5' id='gpPt6' fill='none'/>",
              "<use xlink:href='#fig-1-gpPt5' id='fig-1-gpPt6' fill='none'/>");
    tidied_is("<g filter=\"url(#textbox)\">", "<g filter=\"url(#fig-1-textbox)\">");
}

static void names_that_gnuplot_gives_go(void **state)
{
    (void)state;
    tidied_is("<svg><title>Gnuplot</title><desc>by</desc><g id=\"gnuplot_canvas\">a</g>"
              "<g id=\"gnuplot_plot_1a\" ><title>gnuplot_plot_1a</title>",
              "<svg><g>a</g><g >");
    tidied_is("<g stroke='none' shape-rendering='crispEdges'>", "<g stroke='none'>");
}

/* What looks like an id may be a word in the drawing. */
static void words_stay(void **state)
{
    (void)state;
    const char *words = "<text>an id='x', url(#y), id=\"gnuplot\" and xlink:href='#z'</text>";
    tidied_is(words, words);
    tidied_is("<title>never closed", "<title>never closed");
    tidied_is(" id='x'<a/>", " id='x'<a/>");
    tidied_is("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_drawing_is_left_out),
        cmocka_unit_test(a_drawing_gets_a_box_and_a_name),
        cmocka_unit_test(a_wide_drawing_says_so),
        cmocka_unit_test(ids_get_the_name_of_the_figure),
        cmocka_unit_test(names_that_gnuplot_gives_go),
        cmocka_unit_test(words_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
