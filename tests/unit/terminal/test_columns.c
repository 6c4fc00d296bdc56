/* The width of help: that of the terminal, then the variable COLUMNS, then the usual one. */
#include "capture.h"
#include "terminal/columns.h"
#include "test.h"

#include <stdlib.h>

static void what_is_no_width_is_passed_over(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "0", "-5", "wide", "80x", "1e99", " 70"};
    assert_int_equal(columns_of(0, NULL), COLUMNS_USUAL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(columns_of(0, bad[i]), COLUMNS_USUAL);
    }
}

static void the_terminal_comes_before_the_variable(void **state)
{
    (void)state;
    assert_int_equal(columns_of(72, NULL), 72);
    assert_int_equal(columns_of(72, "50"), 72);
    assert_int_equal(columns_of(0, "50"), 50);
}

static void a_width_stays_within_the_limits(void **state)
{
    (void)state;
    assert_int_equal(columns_of(1, NULL), COLUMNS_MIN);
    assert_int_equal(columns_of(40, NULL), 40);
    assert_int_equal(columns_of(100, NULL), 100);
    assert_int_equal(columns_of(101, NULL), COLUMNS_MAX);
    assert_int_equal(columns_of(0, "18446744073709551615"), COLUMNS_MAX);
}

static void a_file_has_the_width_of_the_variable(void **state)
{
    (void)state;
    char text[CAPTURE_BYTES];
    capture c = capture_begin(stdout);
    int set = setenv("COLUMNS", "66", 1);
    uint32_t with = columns_of_output();
    int unset = unsetenv("COLUMNS");
    uint32_t without = columns_of_output();
    capture_end(&c, text);
    assert_int_equal(set, 0);
    assert_int_equal(unset, 0);
    assert_int_equal(with, 66);
    assert_int_equal(without, COLUMNS_USUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_width_is_passed_over),
        cmocka_unit_test(the_terminal_comes_before_the_variable),
        cmocka_unit_test(a_width_stays_within_the_limits),
        cmocka_unit_test(a_file_has_the_width_of_the_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
