/* Ranges in words: whole numbers whole, or as 1e12, others short. */
#include "cli/option/range.h"
#include "test.h"

static void ranges_are_written_by_the_kind_of_their_numbers(void **state)
{
    (void)state;
    static const struct {
        option row;
        const char *text;
    } rows[] = {
        {{.kind = OPTION_IS_U32, .lo = 1, .hi = 1024}, "1 to 1024"},
        {{.kind = OPTION_IS_U64, .lo = 0, .hi = 1e12}, "0 to 1e12"},
        {{.kind = OPTION_IS_U64, .lo = 1e9, .hi = 2e12}, "1e9 to 2000000000000"},
        {{.kind = OPTION_IS_U32, .lo = 10, .hi = 1e8}, "10 to 100000000"},
        {{.kind = OPTION_IS_U64, .lo = 0, .hi = 9007199254740992}, "0 to 9007199254740992"},
        {{.kind = OPTION_IS_F64, .lo = 0.01, .hi = 8}, "0.01 to 8"},
        {{.kind = OPTION_IS_F64, .lo = 1e-6, .hi = 1e6}, "1e-06 to 1000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64] = "";
        FILE *file = fmemopen(text, sizeof text, "w");
        assert_non_null(file);
        option_print_range(file, &rows[i].row);
        fclose(file);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_written_by_the_kind_of_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
