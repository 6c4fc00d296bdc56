/* Wrapping: words stay whole, lines stay short, what follows hangs. */
#include "memory_file.h"
#include "text/text.h"

static void assert_wrapped(const char *text, uint32_t at, uint32_t indent, uint32_t columns,
                           const char *wanted)
{
    memory_file m;
    wrap_print(memory_file_open(&m), text, at, indent, columns);
    assert_written(&m, wanted);
}

TEST(nothing_is_one_empty_line)
{
    assert_wrapped("", 0, 4, 20, "\n");
    assert_wrapped("   ", 0, 4, 20, "\n");
}

TEST(a_word_that_is_longer_than_a_line_stays_whole)
{
    assert_wrapped("incomprehensibilities", 0, 2, 10, "incomprehensibilities\n");
    assert_wrapped("a incomprehensibilities b", 0, 2, 10, "a\n  incomprehensibilities\n  b\n");
}

TEST(a_line_may_be_full_to_its_last_column)
{
    assert_wrapped("12345 7890", 0, 2, 10, "12345 7890\n");
    assert_wrapped("12345 78901", 0, 2, 10, "12345\n  78901\n");
    assert_wrapped("345 7890", 2, 2, 10, "345 7890\n");
    assert_wrapped("345 78901", 2, 2, 10, "345\n  78901\n");
}

TEST(what_does_not_fit_hangs)
{
    assert_wrapped("one two three four five", 4, 4, 12, "one two\n    three\n    four\n    five\n");
}

TEST(a_break_begins_a_line_whose_rest_hangs_deeper)
{
    assert_wrapped("kinds:\nred: like a rose\nblue: like the sea", 2, 2, 12,
                   "kinds:\n  red: like\n    a rose\n  blue: like\n    the sea\n");
}
