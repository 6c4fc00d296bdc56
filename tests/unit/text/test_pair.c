/* Names and meanings: side by side where there is room, else below each other. */
#include "test.h"
#include "text/text.h"

#include <stdlib.h>

static void assert_printed(const char *name, const char *meaning, uint32_t at, uint32_t columns,
                           const char *wanted)
{
    char *found = NULL;
    size_t bytes;
    FILE *file = open_memstream(&found, &bytes);
    assert_non_null(file);
    pair_print(file, name, meaning, at, columns);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, wanted);
    free(found);
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
    char *found = NULL;
    size_t bytes;
    FILE *file = open_memstream(&found, &bytes);
    assert_non_null(file);
    heading_print(file, "limits of one address", 14);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, "\nlimits of one\n  address:\n");
    free(found);
}
