/* The first sentence of an output: when it is in colour, and that a file gets it as it is. */
#include "memory_file.h"
#include "text/text.h"

TEST(no_colour_where_somebody_or_something_does_not_want_it)
{
    assert_false(verdict_in_colour(false, NULL, "xterm"));
    assert_false(verdict_in_colour(true, "1", "xterm"));
    assert_false(verdict_in_colour(true, "0", "xterm"));
    assert_false(verdict_in_colour(true, NULL, "dumb"));
    assert_false(verdict_in_colour(true, NULL, ""));
    assert_false(verdict_in_colour(true, NULL, NULL));
}

TEST(a_terminal_has_colour)
{
    assert_true(verdict_in_colour(true, NULL, "xterm"));
    assert_true(verdict_in_colour(true, "", "xterm-256color"));
}

TEST(a_file_gets_the_words_alone)
{
    static const verdict_tone tone[] = {VERDICT_NONE, VERDICT_OPEN, VERDICT_GOOD, VERDICT_BAD};
    for (size_t i = 0; i < sizeof tone / sizeof tone[0]; i++) {
        memory_file m;
        verdict_print(memory_file_open(&m), "One two. Three four five.", tone[i], 10);
        assert_written(&m, "One two.\nThree four\nfive.\n");
    }
}
