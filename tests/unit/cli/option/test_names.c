/* Each list of names ends, has no name twice, and is the library's. */
#include "cli/option/option.h"
#include "test.h"

#include <string.h>

static option_names *const lists[] = {
    names_of_calibration, names_of_correction,  names_of_environment, names_of_link,
    names_of_mechanism,   names_of_method,      names_of_noise_law,   names_of_parameters,
    names_of_player,      names_of_reward_kind, names_of_score,       names_of_split,
    names_of_step,
};

TEST(what_is_no_kind_has_no_name)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_null(lists[i](99));
        assert_null(lists[i](UINT32_MAX));
    }
}

TEST(names_differ_and_can_be_typed)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        uint32_t count = 0;
        for (; lists[i](count) != NULL; count++) {
            assert_int_equal(strspn(lists[i](count), "abcdefghijklmnopqrstuvwxyz0123456789-/"),
                             strlen(lists[i](count)));
            for (uint32_t before = 0; before < count; before++) {
                assert_string_not_equal(lists[i](before), lists[i](count));
            }
        }
        assert_true(count >= 2 && count < 99);
    }
}

TEST(the_first_names_are_the_usual_ones)
{
    static const char *const first[] = {"exact", "regulariser", "sphere", "identity", "codebook",
                                        "sotto", "gaussian",    "shared", "sotto",    "continuous",
                                        "sign",  "joint",       "1/t"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_string_equal(lists[i](0), first[i]);
    }
}
