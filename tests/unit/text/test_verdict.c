/* The first sentence of an output: when it is in colour, and that a file gets it as it is. */
#include "test.h"
#include "text/text.h"

#include <stdlib.h>

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
        char *found = NULL;
        size_t bytes;
        FILE *file = open_memstream(&found, &bytes);
        assert_non_null(file);
        verdict_print(file, "One two. Three four five.", tone[i], 10);
        assert_int_equal(fclose(file), 0);
        assert_string_equal(found, "One two.\nThree four\nfive.\n");
        free(found);
    }
}
