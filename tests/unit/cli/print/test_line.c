/* Lines of numbers. */
#include "cli/print/print.h"
#include "memory_file.h"

#include <math.h>

TEST(a_number_that_is_not_finite_has_a_word)
{
    const double x[] = {NAN, -INFINITY};
    memory_file m;
    FILE *file = memory_file_open(&m);
    line_reals(file, x, 2, false);
    line_reals(file, x, 2, true);
    assert_written(&m, "nan -inf\n[null, null]\n");
}

TEST(no_numbers_are_an_empty_line)
{
    memory_file m;
    FILE *file = memory_file_open(&m);
    line_reals(file, NULL, 0, false);
    line_reals(file, NULL, 0, true);
    line_wholes(file, NULL, 0, false);
    line_wholes(file, NULL, 0, true);
    assert_written(&m, "\n[]\n\n[]\n");
}

TEST(numbers_are_separated_by_blanks_or_commas)
{
    const double x[] = {0.1, -2, 1e300};
    const int32_t n[] = {INT32_MIN, 0, INT32_MAX};
    memory_file m;
    FILE *file = memory_file_open(&m);
    line_reals(file, x, 3, false);
    line_reals(file, x, 3, true);
    line_wholes(file, n, 3, false);
    line_wholes(file, n, 3, true);
    assert_written(&m, "0.10000000000000001 -2 1.0000000000000001e+300\n"
                       "[0.10000000000000001, -2, 1.0000000000000001e+300]\n"
                       "-2147483648 0 2147483647\n[-2147483648, 0, 2147483647]\n");
}
