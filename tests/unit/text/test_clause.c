/* The first clause of a text. */
#include "test.h"
#include "text/text.h"

TEST(a_clause_ends_before_what_ends_it)
{
    static const struct {
        const char *text;
        size_t length;
    } row[] = {{"", 0},
               {"one; two", 3},
               {"kinds:\nred", 5},
               {"The port, for 1.5 devices.", 25},
               {"0: one per core", 15}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(clause_length(row[i].text), row[i].length);
    }
}
