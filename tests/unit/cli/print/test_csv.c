/* Comma-separated values: quotes where they are needed, a word where there is no number. */
#include "cli/print/print.h"
#include "memory_file.h"

#include <math.h>

TEST(what_would_end_a_field_is_quoted)
{
    static const print_column column[] = {{"a", "", 0, 0, 0}, {"b", "", 0, 0, 0}};
    const char *const text[] = {"plain", "a,b", "say \"no\"", "two\nlines", "back\r", ""};
    const char *const wanted[] = {"plain",          "\"a,b\"",    "\"say \"\"no\"\"\"",
                                  "\"two\nlines\"", "\"back\r\"", ""};
    for (size_t i = 0; i < 6; i++) {
        memory_file m;
        char line[64];
        const print_value value[] = {print_text(text[i]), print_natural(1)};
        csv_row(memory_file_open(&m), column, value, 2);
        snprintf(line, sizeof line, "%s,1\n", wanted[i]);
        assert_written(&m, line);
    }
}

TEST(a_number_that_is_not_finite_has_a_word)
{
    static const print_column column[] = {
        {"a", "", 0, 0, 0}, {"b", "", 0, 0, 3}, {"c", "", 0, 0, 0}, {"d", "", 0, 0, 0}};
    const print_value value[] = {print_real(NAN), print_real(INFINITY), print_real(-INFINITY),
                                 print_none()};
    memory_file m;
    csv_row(memory_file_open(&m), column, value, 4);
    assert_written(&m, "nan,inf,-inf,nan\n");
}

TEST(columns_without_a_key_are_left_out)
{
    static const print_column column[] = {
        {NULL, "x", 0, 0, 0}, {"b", NULL, 0, 0, 0}, {NULL, "y", 0, 0, 0}, {"c", "", 9, 2, 4}};
    const print_value value[] = {print_text("no"), print_flag(true), print_none(),
                                 print_real(1.23456)};
    memory_file m;
    FILE *file = memory_file_open(&m);
    csv_head(file, column, 4);
    csv_row(file, column, value, 4);
    assert_written(&m, "b,c\ntrue,1.235\n");
}

TEST(all_digits_are_written_unless_fewer_are_asked_for)
{
    static const print_column column[] = {
        {"a", "", 9, 2, 0}, {"b", "", 9, 2, 15}, {"c", "", 9, 2, 0}, {"d", "", 9, 2, 1}};
    const print_value value[] = {print_real(0.1), print_real(0.1), print_natural(UINT64_MAX),
                                 print_real(0.125)};
    memory_file m;
    csv_row(memory_file_open(&m), column, value, 4);
    assert_written(&m, "0.10000000000000001,0.1,18446744073709551615,0.1\n");
}
