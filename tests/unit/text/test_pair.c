/* Names and meanings: side by side where there is room, else below each other. */
#include "memory_file.h"
#include "text/text.h"

static void assert_printed(const char *name, const char *meaning, uint32_t at, uint32_t columns,
                           const char *wanted)
{
    memory_file m;
    pair_print(memory_file_open(&m), name, meaning, at, columns);
    assert_written(&m, wanted);
}

TEST(in_a_narrow_terminal_the_meaning_stands_below)
{
    assert_printed("--dim", "numbers", 10, 46, "  --dim\n      numbers\n");
    assert_printed("--dim", "numbers", 10, 47, "  --dim   numbers\n");
}

TEST(after_a_long_name_it_stands_below)
{
    assert_printed("--dimens", "numbers", 10, 80, "  --dimens\n      numbers\n");
    assert_printed("--dimen", "numbers", 10, 80, "  --dimen numbers\n");
}

TEST(what_does_not_fit_is_wrapped_at_its_column)
{
    assert_printed("--dim", "numbers of a vector that every device knows", 10, 47,
                   "  --dim   numbers of a vector that every device\n          knows\n");
    assert_printed("--dim", "numbers of a vector that every device knows", 10, 40,
                   "  --dim\n      numbers of a vector that every\n      device knows\n");
}

TEST(a_heading_is_wrapped_too)
{
    memory_file m;
    heading_print(memory_file_open(&m), "limits of one address", 14);
    assert_written(&m, "\nlimits of one\n  address:\n");
}
