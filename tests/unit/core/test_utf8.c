/* Bytes as characters. */
#include "core/utf8.h"
#include "test.h"

static void an_unfinished_character_at_the_end_is_not_counted(void **state)
{
    (void)state;
    static const char cake[] = "a\xF0\x9F\x8D\xB0";
    assert_int_equal(sotto__whole_bytes(cake, 5), 5);
    for (size_t bytes = 1; bytes < 5; bytes++) {
        assert_int_equal(sotto__whole_bytes(cake, bytes), 1);
    }
    assert_int_equal(sotto__whole_bytes("", 0), 0);
    assert_int_equal(sotto__whole_bytes("\x80\x80\x80\x80", 4), 4); /* no character was cut */
    assert_int_equal(sotto__whole_bytes("\xC3", 1), 0);
}

static void characters_have_their_numbers(void **state)
{
    (void)state;
    size_t length;
    assert_int_equal(sotto__character("\x7F", 1, &length), 0x7F);
    assert_int_equal(length, 1);
    assert_int_equal(sotto__character("\xC2\x80", 2, &length), 0x80);
    assert_int_equal(length, 2);
    assert_int_equal(sotto__character("\xEF\xBF\xBF", 3, &length), 0xFFFF);
    assert_int_equal(length, 3);
    assert_int_equal(sotto__character("\xF4\x8F\xBF\xBF", 4, &length), 0x10FFFF);
    assert_int_equal(length, 4);
    assert_int_equal(sotto__character("\xF4\x8F\xBF\xBF", 3, &length), SOTTO__NO_CHARACTER);
    assert_int_equal(length, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unfinished_character_at_the_end_is_not_counted),
        cmocka_unit_test(characters_have_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
