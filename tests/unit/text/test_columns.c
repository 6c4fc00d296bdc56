/* The width of help: that of the terminal, then the variable COLUMNS, then the usual one. */
#include "capture.h"
#include "test.h"
#include "text/text.h"

#include <stdlib.h>

TEST(what_is_no_width_is_passed_over)
{
    static const char *const bad[] = {"", "0", "-5", "wide", "80x", "1e99", " 70"};
    assert_int_equal(text_columns(0, NULL), TEXT_COLUMNS_USUAL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(text_columns(0, bad[i]), TEXT_COLUMNS_USUAL);
    }
}

TEST(the_terminal_comes_before_the_variable)
{
    assert_ints(text_columns(72, NULL), 72, text_columns(72, "50"), 72, text_columns(0, "50"), 50);
}

TEST(a_width_stays_within_the_limits)
{
    assert_ints(text_columns(1, NULL), TEXT_COLUMNS_MIN, text_columns(40, NULL), 40,
                text_columns(100, NULL), 100, text_columns(101, NULL), TEXT_COLUMNS_MAX,
                text_columns(0, "18446744073709551615"), TEXT_COLUMNS_MAX);
}

TEST(a_file_has_the_width_of_the_variable)
{
    char text[CAPTURE_BYTES];
    capture c = capture_begin(stdout);
    int set = setenv("COLUMNS", "66", 1);
    uint32_t with = text_columns_of_output();
    int unset = unsetenv("COLUMNS");
    uint32_t without = text_columns_of_output();
    capture_end(&c, text);
    assert_ints(set, 0, unset, 0, with, 66, without, TEXT_COLUMNS_USUAL);
}
