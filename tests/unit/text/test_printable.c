/* What strangers wrote is shown in sentences, and no terminal obeys it. */
#include "test.h"
#include "text/text.h"

#include <string.h>

static char shown[SOTTO__SHOWN_BYTES];

#define SHOWN(text) sotto__shown(text, sizeof(text) - 1, shown)

TEST(control_characters_are_not_shown)
{
    assert_string_equal(SHOWN("a\tb\x1b\x7f\n\0z"), "a?b????z");
    for (unsigned char second = 0x80; second <= 0x9F; second++) { /* C1: U+009B is ESC [ */
        const char text[] = {'a', '\xC2', (char)second, '3', '1', 'm', '\0'};
        assert_string_equal(sotto__shown(text, 6, shown), "a?31m");
    }
    assert_string_equal(SHOWN("\xC2\xA0"), "\xC2\xA0"); /* the next one is no control */
}

TEST(bytes_that_are_not_utf8_are_not_shown)
{
    for (int byte = 0x80; byte <= 0xFF; byte++) {
        const char text[] = {'a', (char)byte, 'b', '\0'};
        assert_strings(sotto__shown(text, 3, shown), "a?b", sotto__shown(text, 2, shown), "a?");
    }
    assert_string_equal(SHOWN("\xC1\x9B"), "??"); /* ESC [ written too long */
    assert_strings(SHOWN("\xC0\x9B\xE0\x82\x9B"), "?????", SHOWN("\xF0\x80\x82\x9B"), "????");
    assert_string_equal(SHOWN("\xED\xA0\x80"), "???");      /* half of a pair of UTF-16 */
    assert_string_equal(SHOWN("\xF4\x90\x80\x80"), "????"); /* beyond the last one */
    assert_string_equal(SHOWN("\xE2\x82"
                              "a\xE2\x82"),
                        "??a??"); /* unfinished */
}

TEST(what_changes_how_a_line_is_read_is_not_shown)
{
    assert_string_equal(SHOWN("a\xE2\x80\xA8"
                              "b\xE2\x80\xA9"),
                        "a?b?");                            /* U+2028, U+2029 */
    for (unsigned char last = 0xAA; last <= 0xAE; last++) { /* U+202A to U+202E */
        const char text[] = {'\xE2', '\x80', (char)last, 'x', '\0'};
        assert_string_equal(sotto__shown(text, 4, shown), "?x");
    }
    for (unsigned char last = 0xA6; last <= 0xA9; last++) { /* U+2066 to U+2069 */
        const char text[] = {'\xE2', '\x81', (char)last, 'x', '\0'};
        assert_string_equal(sotto__shown(text, 4, shown), "?x");
    }
    assert_string_equal(SHOWN("\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C"), "???"); /* marks of direction */
}

TEST(letters_of_all_alphabets_are_shown)
{
    static const char text[] = "Gr\xC3\xB6\xC3\x9F"
                               "e \xD7\x90 \xE2\x82\xAC \xF0\x9F\x8D\xB0 ~";
    char copy[sizeof text];
    assert_string_equal(SHOWN(text), text);
    memcpy(copy, text, sizeof text);
    assert_ptr_equal(sotto__printable(copy), copy);
    assert_strings(copy, text, SHOWN(""), "");
}

TEST(a_text_is_made_printable_in_its_place)
{
    char text[] = "a\xC2\x9B\xC3\xA4\xE2\x80\xAE\xFF"
                  "b\n";
    assert_string_equal(sotto__printable(text), "a?\xC3\xA4??b?");
}

TEST(long_texts_are_cut_behind_a_character)
{
    char text[100], room[8];
    memset(text, 'x', sizeof text);
    assert_int_equal(strlen(sotto__shown(text, 60, shown)), 60);
    assert_int_equal(strlen(sotto__shown(text, 61, shown)), 63);
    assert_string_equal(shown + 60, "...");
    for (size_t before = 57; before <= 60; before++) { /* a character of 4 bytes there */
        memset(text, 'x', sizeof text);
        memcpy(text + before, "\xF0\x9F\x8D\xB0", 4);
        sotto__shown(text, sizeof text, shown);
        assert_int_equal(strlen(shown), before + 3);
        assert_string_equal(shown + before, "...");
    }
    assert_strings(sotto__shown_in("\xC3\xA4\xC3\xA4\xC3\xA4", 6, room, 8), "\xC3\xA4\xC3\xA4...",
                   sotto__shown_in("ab", 2, room, 4), "...");
}

TEST(what_printable_would_change_is_not_printable)
{
    static const char *const bad[] = {"\t",       "a\x7f", "\xC2\x9B", "a\xE2\x80\xAE",
                                      "\xD8\x9C", "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sotto__is_printable(bad[i]));
    }
    assert_true(sotto__is_printable(""));
    assert_true(sotto__is_printable("Gr\xC3\xB6\xC3\x9F"
                                    "e"));
}
