/* Words in the values of options: lists, numbers, hexadecimal digits. */
#include "option/option.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(what_is_no_whole_number_is_refused)
{
    static const char *const bad[] = {
        "",
        " 1",
        "-1",
        "+1",
        "1.5",
        "1e-1",
        "1e17",
        "0x10",
        "1 ",
        "1e5 x",
        "x",
        "nan",
        "inf",
        "1,2",

        "18446744073709551616",
        "1e400",

        "1..0",
        "1e5e5",
        "9007199254740994e0",
    };
    uint64_t value;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (word_whole(bad[i], &value)) fail_msg("\"%s\" was taken for a whole number", bad[i]);
    }
}

TEST(whole_numbers_may_be_written_like_1e5)
{
    uint64_t value = 1;
    assert_true(word_whole("0", &value));
    assert_int_equal(value, 0);
    assert_true(word_whole("007", &value));
    assert_int_equal(value, 7);
    assert_true(word_whole("1e5", &value));
    assert_int_equal(value, 100000);
    assert_true(word_whole("2.5e3", &value));
    assert_int_equal(value, 2500);
    assert_true(word_whole("9007199254740992e0", &value)); /* 2^53, the last that is exact */
    assert_true(value == 9007199254740992);
    assert_true(word_whole("18446744073709551615", &value));
    assert_true(value == UINT64_MAX);
}

TEST(delays_are_two_whole_numbers_and_a_rate)
{
    static const char *const bad[] = {
        "1",       "1,2,3,4", "-1,2,3",  "1,-2,3",   "1.5,2,3", "1,2,0",        "1,2,-3",
        "1,2,nan", "nan,2,3", "1,2,inf", "1,2,9e-7", "1,2,x",   "31536001,0,1", "0,31536001,1",
        "1, 2,3",  "a,b,c"};
    word_delayed delay;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (WHY(word_delay, bad[i], false, &delay) == NULL) fail_msg("%s was taken", bad[i]);
        assert_non_null(strstr(why_fault.sentence, bad[i]));
        assert_non_null(strstr(why_fault.sentence, "allowed WINDOW,SPREAD,RATE"));
    }
    assert_non_null(WHY(word_delay, "1,,2", false, &delay));
    assert_non_null(WHY(word_delay, "", false, &delay));
    assert_non_null(WHY(word_delay, "1,2", true, &delay));
    assert_null(WHY(word_delay, "1,2", false, &delay));
    assert_true(delay.window_s == 1 && delay.spread_s == 2 && delay.rate == 0);
    assert_null(WHY(word_delay, "31536000,1e2,0.5", true, &delay));
    assert_true(delay.window_s == 31536000 && delay.spread_s == 100 && delay.rate == 0.5);
}

TEST(shares_of_measure_rounds_are_0_or_within_their_range)
{
    static const char *const bad[] = {"", "x", "nan", "-0.1", "0.0009", "0.51", "1", "0.1x", "5%"};
    double share = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(WHY(word_share, bad[i], &share));
        assert_non_null(strstr(why_fault.sentence, bad[i]));
        assert_non_null(strstr(why_fault.sentence, "allowed 0, or 0.001 to 0.5"));
    }
    assert_null(WHY(word_share, "0", &share));
    assert_true(share == 0);
    assert_null(WHY(word_share, "0.001", &share));
    assert_null(WHY(word_share, "0.5", &share));
    assert_true(share == 0.5);
}

TEST(what_is_no_number_in_the_range_is_refused)
{
    static const char *const bad[] = {"",    "x",    "1x",   "1 ",   "nan",
                                      "inf", "-inf", "0.99", "2.01", "1,5"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (word_real(bad[i], 1, 2, &value)) fail_msg("\"%s\" was taken for 1 to 2", bad[i]);
    }
    assert_true(word_real("1", 1, 2, &value) && value == 1);
    assert_true(word_real("2", 1, 2, &value) && value == 2);
    assert_true(word_real("1.5e0", 1, 2, &value) && value == 1.5);
}

TEST(bytes_need_all_their_digits)
{
    uint8_t bytes[2];
    assert_false(word_hex("", bytes, 2));
    assert_false(word_hex("0a1", bytes, 2));
    assert_false(word_hex("0a1b2", bytes, 2));
    assert_false(word_hex("0a1g", bytes, 2));
    assert_false(word_hex("0a1G", bytes, 2));
    assert_false(word_hex("0x1b", bytes, 2));
    assert_false(word_hex("-a1b", bytes, 2));
    assert_true(word_hex("0aFb", bytes, 2));
    assert_ints(bytes[0], 0x0a, bytes[1], 0xfb);
}

TEST(a_list_falls_into_words)
{
    char word[WORD_BYTES];
    const char *at = "one,,three,";
    static const char *const wanted[] = {"one", "", "three", ""};
    for (size_t i = 0; i < 4; i++) {
        assert_true(word_next(&at, word));
        assert_string_equal(word, wanted[i]);
    }
    assert_false(word_next(&at, word));
    at = "";
    assert_true(word_next(&at, word));
    assert_string_equal(word, "");
    assert_false(word_next(&at, word));
}

TEST(a_word_that_is_too_long_shows_it)
{
    char word[WORD_BYTES], list[200];
    memset(list, 'a', sizeof list);
    memcpy(list + WORD_BYTES - 1, ",", 2); /* one that just fits */
    const char *at = list;
    assert_true(word_next(&at, word));
    assert_ints(strlen(word), WORD_BYTES - 1, word[WORD_BYTES - 2], 'a');
    memset(list, 'a', sizeof list);
    memcpy(list + WORD_BYTES, ",b", 3);
    at = list;
    assert_true(word_next(&at, word));
    assert_string_equal(word + WORD_BYTES - 5, "a...");
    assert_true(word_next(&at, word));
    assert_string_equal(word, "b");
    memcpy(list + WORD_BYTES - 5, "\xC3\xA4", 2); /* of which one byte would fit */
    at = list;
    assert_true(word_next(&at, word));
    assert_string_equal(word + WORD_BYTES - 6, "a...");
}

TEST(a_pair_has_two_numbers_in_the_range)
{
    static const char *const bad[] = {"",     "1",   "1,",    ",1",  "1,2,3", "1 2",
                                      "-6,1", "1,6", "nan,1", "1,x", "1,-6"};
    double pair[2];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (word_pair(bad[i], -5, 5, pair)) fail_msg("\"%s\" was taken for a pair", bad[i]);
    }
    assert_true(word_pair("-5,5", -5, 5, pair));
    assert_true(pair[0] == -5 && pair[1] == 5);
}

TEST(a_list_in_which_a_value_is_missing_is_refused)
{
    static const char *const bad[][2] = {
        {"", "'': a list needs at least one value"},
        {",", ",: a value is missing after the last comma"},
        {"1,", "1,: a value is missing after the last comma"},
        {",1", ",1: a value is missing before the first comma"},
        {"1,,2", "1,,2: a value is missing between two commas"},
    };
    char longest[2 * SOTTO_FAULT_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(WHY(word_list_fault, bad[i][0]));
        assert_string_equal(why_fault.sentence, bad[i][1]);
    }
    memset(longest, ',', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_non_null(strstr(WHY(word_list_fault, longest), ",: a value is missing after"));
    assert_null(WHY(word_list_fault, "1"));
    assert_null(WHY(word_list_fault, "1,2,x y"));
}
