/* The style sheet: whole, without requests, and for dark pages, phones and print. */
#include "lab/page/html_style.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *const sheet[] = {sotto__figure_css, sotto__page_css};

static void braces_are_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int depth = 0;
        for (const char *c = sheet[i]; *c != '\0'; c++) {
            depth += *c == '{';
            depth -= *c == '}';
            assert_in_range(depth, 0, 3);
        }
        assert_int_equal(depth, 0);
    }
}

static void nothing_is_fetched(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(strlen(sheet[i]) > 500);
        assert_null(strstr(sheet[i], "url("));
        assert_null(strstr(sheet[i], "@import"));
        assert_null(strpbrk(sheet[i], "<&")); /* it stands inside of <style>, also in SVG */
    }
}

/* Every colour that has a name for light pages has one for dark ones. */
static void dark_pages_have_all_colours(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *dark = strstr(sheet[i], "@media screen and (prefers-color-scheme: dark)");
        assert_non_null(dark);
        for (const char *name = strstr(sheet[i], "--"); name < dark; name = strstr(name, "--")) {
            char wanted[30];
            snprintf(wanted, sizeof wanted, "%.*s:", (int)strcspn(name, ":)"), name);
            if (strstr(dark, wanted) == NULL) fail_msg("%s is missing in the dark", wanted);
            name += 2;
        }
    }
}

static void phones_and_print_are_thought_of(void **state)
{
    (void)state;
    const char *wide = strstr(sotto__page_css, "@media (min-width:");
    const char *beside = strstr(sotto__page_css, "grid-template-columns");
    assert_true(wide != NULL && beside > wide); /* on a phone panels are stacked */
    const char *print = strstr(sotto__page_css, "@media print");
    assert_non_null(print);
    assert_non_null(strstr(print, "break-inside: avoid"));
    assert_non_null(strstr(print, "::details-content")); /* what is folded is printed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(braces_are_closed),
        cmocka_unit_test(nothing_is_fetched),
        cmocka_unit_test(dark_pages_have_all_colours),
        cmocka_unit_test(phones_and_print_are_thought_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
