/* Ranges in words: whole numbers whole, or as 1e12, others short. */
#include "option/option.h"
#include "test.h"

TEST(ranges_are_written_by_the_kind_of_their_numbers)
{
    static const struct {
        option row;
        const char *text;
    } rows[] = {
        {{.kind = OPTION_IS_U32, .lo = 1, .hi = 1024}, "1 to 1024"},
        {{.kind = OPTION_IS_U64, .lo = 0, .hi = 1e12}, "0 to 1e12"},
        {{.kind = OPTION_IS_U64, .lo = 1e9, .hi = 2e12}, "1e9 to 2000000000000"},
        {{.kind = OPTION_IS_U64, .sources = OPTION_ANYWHERE, .hi = 1e9}, "0 to 1000000000"},
        {{.kind = OPTION_IS_U32, .lo = 10, .hi = 1e8}, "10 to 100000000"},
        {{.kind = OPTION_IS_U64, .lo = 0, .hi = 9007199254740992}, "0 to 9007199254740992"},
        {{.kind = OPTION_IS_F64, .lo = 0.01, .hi = 8}, "0.01 to 8"},
        {{.kind = OPTION_IS_F64, .lo = 1e-6, .hi = 1e6}, "1e-06 to 1000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[OPTION_ALLOWED_BYTES];
        option_range(&rows[i].row, text);
        assert_string_equal(text, rows[i].text);
    }
}
