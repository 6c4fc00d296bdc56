/* Tables for people: widths, heads, and cells without a number. */
#include "cli/print/print.h"
#include "memory_file.h"

#include <math.h>

TEST(a_number_that_is_not_finite_is_a_dash)
{
    static const print_column column[] = {
        {"a", "a", 4, 3, 0}, {"b", "b", 4, 3, 0}, {"c", "c", -4, 3, 0}, {"d", "d", 2, 3, 0}};
    const print_value value[] = {print_real(NAN), print_real(INFINITY), print_real(-INFINITY),
                                 print_none()};
    memory_file m;
    table_row(memory_file_open(&m), column, value, 4);
    assert_written(&m, "   -    - -     -\n");
}

TEST(a_cell_that_is_too_wide_is_not_cut)
{
    static const print_column column[] = {{"a", "a", 2, 3, 0}, {"b", "b", 2, 6, 0}};
    const print_value value[] = {print_text("long words"), print_real(1234.5)};
    memory_file m;
    table_row(memory_file_open(&m), column, value, 2);
    assert_written(&m, "long words 1234.5\n");
}

TEST(columns_have_their_width_and_heads)
{
    static const print_column column[] = {{"a", "name", -6, 0, 0},
                                          {"b", NULL, 9, 3, 0},
                                          {"c", "x", 6, 3, 0},
                                          {"d", "n", 4, 0, 0},
                                          {"e", "ok", 3, 0, 0}};
    const print_value value[] = {print_text("one"), print_text("not in the table"),
                                 print_real(2.0 / 3), print_natural(12), print_flag(false)};
    memory_file m;
    FILE *file = memory_file_open(&m);
    table_head(file, column, 5);
    table_row(file, column, value, 5);
    assert_written(&m, "name        x    n  ok\none     0.667   12  no\n");
}

/* A head has no blanks at its end; inside, a column without a head keeps its place. */
TEST(columns_may_have_no_head)
{
    static const print_column column[] = {{"a", "a", 3, 0, 0},
                                          {"b", "", 3, 0, 0},
                                          {"c", "c", 3, 0, 0},
                                          {"d", "", 0, 0, 0},
                                          {"e", NULL, 3, 0, 0}};
    const print_value value[] = {print_natural(1), print_natural(2), print_natural(3),
                                 print_text("ok"), print_natural(5)};
    memory_file m;
    FILE *file = memory_file_open(&m);
    table_head(file, column, 5);
    table_row(file, column, value, 5);
    assert_written(&m, "  a       c\n  1   2   3 ok\n");
}

TEST(a_table_wider_than_the_terminal_is_stacked)
{
    static const print_column column[] = {
        {"a", "a", 30, 0, 0}, {"b", "b", 30, 0, 0}, {"c", "c", 30, 0, 0}, {"d", "", 0, 0, 0}};
    const print_value value[] = {
        print_natural(1), print_natural(2), print_natural(3),
        print_text(
            "words that say what came of it, more of them than fit beside the numbers here")};
    memory_file m;
    FILE *file = memory_file_open(&m);
    table_head(file, column, 4);
    table_row(file, column, value, 4);
    assert_written(&m,
                   "                             a                              b\n"
                   "                                 c\n"
                   "                             1                              2\n"
                   "                                 3\n"
                   "    words that say what came of it, more of them than fit beside the numbers\n"
                   "    here\n");
}

TEST(one_cell_can_stand_alone)
{
    static const print_column column = {"a", "a", 0, 17, 0};
    const print_value value[] = {print_real(0.1), print_natural(7), print_none()};
    memory_file m;
    FILE *file = memory_file_open(&m);
    for (size_t i = 0; i < 3; i++) {
        table_cell(file, &column, &value[i]);
        fputc('|', file);
    }
    assert_written(&m, "0.10000000000000001|7|-|");
}
