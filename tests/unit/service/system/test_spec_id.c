/* A spec id as text. */
#include "service/system/spec_id.h"
#include "test.h"

#include <string.h>

static bool reads(const char *text, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    return spec_id_read(text, strlen(text), id);
}

static void anything_but_32_digits_is_refused(void **state)
{
    (void)state;
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    assert_false(reads("", id));
    assert_false(reads("00", id));
    assert_false(reads("0123456789abcdef0123456789abcde", id));
    assert_false(reads("0123456789abcdef0123456789abcdef0", id));
    assert_false(reads("0123456789abcdef0123456789abcdeg", id));
    assert_false(reads(" 123456789abcdef0123456789abcdef", id));
    assert_false(reads("0123456789ABCDEF0123456789abcdef", id));
    assert_false(reads("0x23456789abcdef0123456789abcdef", id));
}

static void what_is_printed_is_read(void **state)
{
    (void)state;
    const uint8_t wanted[SOTTO_SPEC_ID_BYTES] = {0x00, 0x01, 0x9a, 0xff, 0xc0, 5,  6,   7,
                                                 8,    9,    10,   11,   12,   13, 0xe, 0xf0};
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char text[SPEC_ID_TEXT_BYTES];
    spec_id_print(wanted, text);
    assert_string_equal(text, "00019affc005060708090a0b0c0d0ef0");
    assert_true(reads(text, id));
    assert_memory_equal(id, wanted, sizeof id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_but_32_digits_is_refused),
        cmocka_unit_test(what_is_printed_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
