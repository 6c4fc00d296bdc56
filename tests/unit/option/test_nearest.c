/* Names that a person may have meant. */
#include "option/option.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *colour(uint32_t value)
{
    static const char *const name[] = {"red", "green", "dark-green", "blue"};
    return value < 4 ? name[value] : NULL;
}

static const char *long_name(uint32_t value)
{
    return value < 100 ? "a-name-of-twenty-letters" : NULL;
}

TEST(a_wrong_word_is_told_with_what_is_allowed)
{
    char fault[SOTTO_FAULT_BYTES];
    uint32_t value = 7;
    assert_ptr_equal(name_find("mauve-ish-colour", colour, &value, fault), fault);
    assert_string_equal(fault, "mauve-ish-colour: allowed red, green, dark-green, blue");
    assert_int_equal(value, 7);
}

TEST(a_plug_in_is_told_where_it_belongs)
{
    static const char *const word[] = {"./mine.so", "mine.so", "directory/mine"};
    uint32_t value;
    for (size_t i = 0; i < 3; i++) {
        char fault[SOTTO_FAULT_BYTES], wanted[SOTTO_FAULT_BYTES];
        assert_non_null(name_find(word[i], colour, &value, fault));
        snprintf(wanted, sizeof wanted,
                 "%s: plug-ins are for sotto simulate and sotto audit; allowed red, green, "
                 "dark-green, blue",
                 word[i]);
        assert_string_equal(fault, wanted);
    }
    char fault[SOTTO_FAULT_BYTES];
    assert_non_null(name_find(".so", colour, &value, fault));
    assert_null(strstr(fault, "plug-ins"));
}

TEST(a_misspelt_word_is_told_with_the_nearest_name)
{
    char fault[SOTTO_FAULT_BYTES];
    uint32_t value;
    assert_non_null(name_find("gren", colour, &value, fault));
    assert_non_null(strstr(fault, "; did you mean green?"));
    assert_non_null(name_find("BLUE", colour, &value, fault));
    assert_non_null(strstr(fault, "; did you mean blue?"));
    assert_non_null(name_find("dark", colour, &value, fault));
    assert_non_null(strstr(fault, "; did you mean dark-green?"));
    assert_non_null(name_find("", colour, &value, fault));
    assert_null(strstr(fault, "did you mean"));
}

TEST(a_list_that_is_too_long_is_cut)
{
    char fault[SOTTO_FAULT_BYTES];
    uint32_t value;
    assert_non_null(name_find("x", long_name, &value, fault));
    assert_int_equal(strlen(fault), SOTTO_FAULT_BYTES - 1);
}

TEST(a_name_is_found)
{
    char fault[SOTTO_FAULT_BYTES];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t value = 9;
        assert_null(name_find(colour(i), colour, &value, fault));
        assert_int_equal(value, i);
    }
}
