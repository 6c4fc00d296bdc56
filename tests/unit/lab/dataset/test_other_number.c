/* Numbers that are written otherwise: words and plain numbers are none. */
#include "lab/dataset/other_number.h"
#include "test.h"

#include <string.h>

static bool is_other(const char *text, char mark)
{
    return sotto__is_other_number(text, strlen(text), mark);
}

static void words_are_no_numbers(void **state)
{
    (void)state;
    static const char *const words[] = {
        "",
        "a",
        "-",
        ".",
        ",",
        "1a",
        "1.234a",
        "1.2.3",
        "12.03.2024",
        "10.0.0.1",
        "1234.567.890",
        "1,234,56",
        "1..234",
        "1.234.",
        "1,234,",
        "1.234,5,6",
        "1 234 5",
        "1  234",
        "1,234.567.8",
        "1.234'567",
        "nan",
        "inf",
        "1e",
        "2026-11-17",
        "12:30",
        "1\xC2"
        "234",
        "\xE2\x80\xAF"
        "123",
        "--1.234,5",
        "1,234 ",
        "192.168.10.1",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (const char *mark = ".,"; *mark != '\0'; mark++) {
            if (is_other(words[i], *mark)) fail_msg("\"%s\" with '%c'", words[i], *mark);
        }
    }
}

static void the_numbers_of_the_file_are_not_other_ones(void **state)
{
    (void)state;
    static const char *const plain[] = {"1", "-12", "1234567", "+5e3", "007"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_false(is_other(plain[i], '.'));
        assert_false(is_other(plain[i], ','));
    }
    assert_false(is_other("1.234", '.')); /* which may be a thousand to its author */
    assert_false(is_other("1,234", ','));
}

static void thousands_and_the_other_mark_are_seen(void **state)
{
    (void)state;
    static const char *const both[] = {
        "1.234,50",
        "1,234.50",
        "-1.234.567,8",
        "+1,234,567.8",
        "1.234.567",
        "1,234,567",
        "1,23,456.5",
        "1'234",
        "1'234.5",
        "1'234,5",
        "1 234",
        "1 234,5",
        "12 345.5",
        "1\xC2\xA0"
        "234,5",
        "1\xE2\x80\xAF"
        "234",
        "1\xE2\x80\x89"
        "234.5",
        "1\xE2\x80\x99"
        "234",
        "1.234.567,",
    };
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        if (!is_other(both[i], '.')) fail_msg("\"%s\" with a point", both[i]);
        if (!is_other(both[i], ',')) fail_msg("\"%s\" with a comma", both[i]);
    }
    assert_true(is_other("1,5", '.'));
    assert_true(is_other("1,234", '.'));
    assert_true(is_other(",5", '.'));
    assert_true(is_other("1.5e3", ','));
    assert_true(is_other("1.234", ','));
}

static void the_reason_names_the_mark(void **state)
{
    (void)state;
    assert_string_equal(sotto__number_reason("x", 1, '.'), "is not a finite number");
    assert_string_equal(sotto__number_reason("1.234,5", 7, '.'),
                        "is not a finite number: the decimal mark is a point, and thousands "
                        "separators are not read");
    assert_string_equal(sotto__number_reason("1.5", 3, ','),
                        "is not a finite number: the decimal mark is a comma, and thousands "
                        "separators are not read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_no_numbers),
        cmocka_unit_test(the_numbers_of_the_file_are_not_other_ones),
        cmocka_unit_test(thousands_and_the_other_mark_are_seen),
        cmocka_unit_test(the_reason_names_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
