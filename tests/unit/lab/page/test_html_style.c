/* The style sheet: whole, without requests, and for dark pages, phones and print. */
#include "lab/page/html_style.h"
#include "test.h"

#include <string.h>

static void braces_are_closed(void **state)
{
    (void)state;
    int depth = 0;
    for (const char *c = sotto__html_style; *c != '\0'; c++) {
        depth += *c == '{';
        depth -= *c == '}';
        assert_in_range(depth, 0, 3);
    }
    assert_int_equal(depth, 0);
}

static void nothing_is_fetched(void **state)
{
    (void)state;
    assert_null(strstr(sotto__html_style, "url("));
    assert_null(strstr(sotto__html_style, "@import"));
    assert_null(strchr(sotto__html_style, '<')); /* it stands inside of <style> */
}

/* Every colour that has a name for light pages has one for dark pages and for print. */
static void dark_pages_and_print_have_all_colours(void **state)
{
    (void)state;
    const char *const name[] = {"--ink:",  "--soft:", "--page:", "--card:", "--rule:",
                                "--link:", "--good:", "--bad:",  "--note:", "--edge:"};
    const char *dark = strstr(sotto__html_style, "@media(prefers-color-scheme:dark)");
    const char *print = strstr(sotto__html_style, "@media print");
    assert_non_null(dark);
    assert_true(print > dark);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        const char *light = strstr(sotto__html_style, name[i]);
        assert_true(light != NULL && light < dark);
        assert_true(strstr(dark, name[i]) < print);
        assert_non_null(strstr(print, name[i]));
    }
    assert_non_null(strstr(print, "figure,tr,li{break-inside:avoid}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(braces_are_closed),
        cmocka_unit_test(nothing_is_fetched),
        cmocka_unit_test(dark_pages_and_print_have_all_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
