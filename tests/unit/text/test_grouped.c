/* Numbers as people read them. */
#include "test.h"
#include "text/text.h"

#include <math.h>

static void grouped_is(double value, const char *wanted)
{
    char text[SOTTO__GROUPED_BYTES];
    assert_string_equal(sotto__grouped(value, text), wanted);
}

TEST(what_is_no_number_is_a_dash)
{
    grouped_is(NAN, "-");
    grouped_is(INFINITY, "-");
    grouped_is(-INFINITY, "-");
}

TEST(three_digits_stand_together)
{
    grouped_is(1000, "1,000");
    grouped_is(-1234.4, "-1,234");
    grouped_is(-123456, "-123,456");
    grouped_is(12345.6, "12,346");
    grouped_is(123456, "123,456");
    grouped_is(1234567, "1,234,567");
    grouped_is(999999999999999, "999,999,999,999,999");
}

TEST(small_numbers_have_three_digits)
{
    grouped_is(0, "0");
    grouped_is(0.01234, "0.0123");
    grouped_is(-1.2345, "-1.23");
    grouped_is(12.34, "12.3");
    grouped_is(999.4, "999");
}

/* Three digits of it would be 1e+03. */
TEST(what_rounds_to_a_thousand_is_one)
{
    grouped_is(999.6, "1,000");
    grouped_is(-999.6, "-1,000");
}

TEST(very_large_numbers_fit_too)
{
    grouped_is(1e15, "1e+15");
    grouped_is(-1.7e308, "-1.7e+308");
}
