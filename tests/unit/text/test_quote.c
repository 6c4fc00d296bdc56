/* Text in scripts: what a shell would understand is escaped, and a clause is enough. */
#include "test.h"
#include "text/text.h"

#include <stdlib.h>

static void assert_clause(const char *text, const char *escaped, const char *quote,
                          const char *wanted)
{
    char *found = NULL;
    size_t bytes;
    FILE *file = open_memstream(&found, &bytes);
    assert_non_null(file);
    quote_clause(file, text, escaped, quote);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, wanted);
    free(found);
}

TEST(quotes_are_replaced_and_others_escaped)
{
    assert_clause("it's [a] b\\c", "[]\\", "'\\''", "it'\\''s \\[a\\] b\\\\c");
    assert_clause("it's [a]", "\\", "\\'", "it\\'s [a]");
}

TEST(a_clause_ends_before_what_ends_it)
{
    assert_clause("", "", "", "");
    assert_clause("one; two", "", "", "one");
    assert_clause("kinds:\nred", "", "", "kinds");
    assert_clause("The port, for 1.5 devices.", "", "", "The port, for 1.5 devices");
    assert_clause("0: one per core", "", "", "0: one per core");
}

TEST(a_part_is_as_long_as_it_is_said)
{
    char *found = NULL;
    size_t bytes;
    FILE *file = open_memstream(&found, &bytes);
    assert_non_null(file);
    quote_print(file, "huber:TAU", 6, ":", "");
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, "huber\\:");
    free(found);
}
