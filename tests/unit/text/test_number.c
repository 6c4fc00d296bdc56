/* Numbers in files that programs read. */
#include "test.h"
#include "text/text.h"

#include <math.h>

static void expect(double value, int digits, sotto__text_format format, const char *wanted)
{
    char text[SOTTO__NUMBER_BYTES];
    assert_string_equal(sotto__number_text(value, digits, format, text), wanted);
}

TEST(a_number_that_is_not_finite_has_a_word)
{
    expect(NAN, 17, SOTTO__TEXT_CSV, "nan");
    expect(-NAN, 17, SOTTO__TEXT_CSV, "nan");
    expect(INFINITY, 17, SOTTO__TEXT_CSV, "inf");
    expect(-INFINITY, 17, SOTTO__TEXT_CSV, "-inf");
    const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        expect(none[i], 17, SOTTO__TEXT_JSON, "null");
    }
}

TEST(the_longest_number_fits_and_reads_back)
{
    expect(-1.7976931348623157e308, 17, SOTTO__TEXT_JSON, "-1.7976931348623157e+308");
    expect(-4.9406564584124654e-324, 17, SOTTO__TEXT_CSV, "-4.9406564584124654e-324");
}

TEST(digits_are_those_asked_for)
{
    expect(0.1, 17, SOTTO__TEXT_CSV, "0.10000000000000001");
    expect(0.1, 15, SOTTO__TEXT_JSON, "0.1");
    expect(0, 17, SOTTO__TEXT_JSON, "0");
}
