/* Numbers as people read them. */
#include "lab/text/grouped.h"
#include "test.h"

#include <math.h>

static void grouped_is(double value, const char *wanted)
{
    char text[SOTTO__GROUPED_BYTES];
    assert_string_equal(sotto__grouped(value, text), wanted);
}

static void what_is_no_number_is_a_dash(void **state)
{
    (void)state;
    grouped_is(NAN, "-");
    grouped_is(INFINITY, "-");
    grouped_is(-INFINITY, "-");
}

static void three_digits_stand_together(void **state)
{
    (void)state;
    grouped_is(1000, "1,000");
    grouped_is(-1234.4, "-1,234");
    grouped_is(-123456, "-123,456");
    grouped_is(12345.6, "12,346");
    grouped_is(123456, "123,456");
    grouped_is(1234567, "1,234,567");
    grouped_is(999999999999999, "999,999,999,999,999");
}

static void small_numbers_have_three_digits(void **state)
{
    (void)state;
    grouped_is(0, "0");
    grouped_is(0.01234, "0.0123");
    grouped_is(-1.2345, "-1.23");
    grouped_is(12.34, "12.3");
    grouped_is(999.4, "999");
}

/* Three digits of it would be 1e+03. */
static void what_rounds_to_a_thousand_is_one(void **state)
{
    (void)state;
    grouped_is(999.6, "1,000");
    grouped_is(-999.6, "-1,000");
}

static void very_large_numbers_fit_too(void **state)
{
    (void)state;
    grouped_is(1e15, "1e+15");
    grouped_is(-1.7e308, "-1.7e+308");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_number_is_a_dash),
        cmocka_unit_test(three_digits_stand_together),
        cmocka_unit_test(small_numbers_have_three_digits),
        cmocka_unit_test(what_rounds_to_a_thousand_is_one),
        cmocka_unit_test(very_large_numbers_fit_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
