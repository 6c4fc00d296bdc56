/* Names that a person may have meant. */
#include "option/option.h"
#include "test.h"
#include "why.h"

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
    uint32_t value = 7;
    assert_non_null(WHY(name_find, "mauve-ish-colour", colour, &value));
    assert_string_equal(why_fault.sentence,
                        "mauve-ish-colour: allowed red, green, dark-green, blue");
    assert_int_equal(value, 7);
}

TEST(a_plug_in_is_told_where_it_belongs)
{
    static const char *const word[] = {"./mine.so", "mine.so", "directory/mine"};
    uint32_t value;
    for (size_t i = 0; i < 3; i++) {
        char wanted[SOTTO_FAULT_BYTES];
        assert_non_null(WHY(name_find, word[i], colour, &value));
        snprintf(wanted, sizeof wanted,
                 "%s: plug-ins are for sotto simulate and sotto audit; allowed red, green, "
                 "dark-green, blue",
                 word[i]);
        assert_string_equal(why_fault.sentence, wanted);
    }
    assert_non_null(WHY(name_find, ".so", colour, &value));
    assert_null(strstr(why_fault.sentence, "plug-ins"));
}

TEST(a_misspelt_word_is_told_with_the_nearest_name)
{
    uint32_t value;
    assert_non_null(WHY(name_find, "gren", colour, &value));
    assert_non_null(strstr(why_fault.sentence, "; did you mean green?"));
    assert_non_null(WHY(name_find, "BLUE", colour, &value));
    assert_non_null(strstr(why_fault.sentence, "; did you mean blue?"));
    assert_non_null(WHY(name_find, "dark", colour, &value));
    assert_non_null(strstr(why_fault.sentence, "; did you mean dark-green?"));
    assert_non_null(WHY(name_find, "", colour, &value));
    assert_null(strstr(why_fault.sentence, "did you mean"));
}

TEST(a_list_that_is_too_long_is_cut)
{
    uint32_t value;
    assert_non_null(WHY(name_find, "x", long_name, &value));
    assert_int_equal(strlen(why_fault.sentence), SOTTO_FAULT_BYTES - 1);
}

TEST(a_name_is_found)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t value = 9;
        assert_null(WHY(name_find, colour(i), colour, &value));
        assert_int_equal(value, i);
    }
}
