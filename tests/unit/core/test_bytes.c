/* Integers and doubles go out little-endian and come back bit for bit, from any address. */
#include "test.h"

#include "core/bytes.h"

#include <math.h>

static void doubles_that_are_not_numbers_keep_every_bit(void **state)
{
    (void)state;
    static const uint64_t pattern[] = {
        UINT64_C(0x7ff8000000000001), /* NaN with a payload */
        UINT64_C(0xfff0000000000000), /* -infinity */
        UINT64_C(0x8000000000000000), /* -0 */
        UINT64_C(0x0000000000000001), /* the smallest denormal */
        UINT64_C(0x7fe1ccf385ebc8a0), /* 1e308 */
    };
    for (size_t i = 0; i < sizeof pattern / sizeof pattern[0]; i++) {
        uint8_t wire[8], again[8];
        sotto__put_u64(wire, pattern[i]);
        sotto__put_f64(again, sotto__get_f64(wire));
        assert_memory_equal(again, wire, sizeof wire);
    }
    uint8_t wire[8];
    sotto__put_u64(wire, pattern[0]);
    assert_true(isnan(sotto__get_f64(wire)));
    sotto__put_u64(wire, pattern[4]);
    assert_true(sotto__get_f64(wire) == 1e308);
}

static void the_lowest_byte_comes_first(void **state)
{
    (void)state;
    static const uint8_t ascending[8] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
    static const uint8_t one_and_a_half[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    uint8_t out[8];
    sotto__put_u64(out, UINT64_C(0x0807060504030201));
    assert_memory_equal(out, ascending, 8);
    sotto__put_u32(out, 0x04030201);
    assert_memory_equal(out, ascending, 4);
    sotto__put_u16(out, 0x0201);
    assert_memory_equal(out, ascending, 2);
    sotto__put_f64(out, 1.5);
    assert_memory_equal(out, one_and_a_half, 8);

    assert_int_equal(sotto__get_u16(ascending), 0x0201);
    assert_int_equal(sotto__get_u32(ascending), 0x04030201);
    assert_true(sotto__get_u64(ascending) == UINT64_C(0x0807060504030201));
    assert_true(sotto__get_f64(one_and_a_half) == 1.5);
}

static void high_bits_are_not_taken_for_a_sign(void **state)
{
    (void)state;
    static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t high[8] = {0, 0x80, 0, 0x80, 0, 0, 0, 0x80};
    assert_true(sotto__get_u16(ones) == UINT16_MAX);
    assert_true(sotto__get_u32(ones) == UINT32_MAX);
    assert_true(sotto__get_u64(ones) == UINT64_MAX);
    assert_true(sotto__get_u16(high) == 0x8000u);
    assert_true(sotto__get_u32(high) == 0x80008000u);
    assert_true(sotto__get_u64(high) == UINT64_C(0x8000000080008000));
}

static void a_put_writes_its_own_bytes_and_no_other(void **state)
{
    (void)state;
    for (size_t offset = 1; offset < 8; offset++) {
        uint8_t wire[24];
        memset(wire, 0xee, sizeof wire);
        sotto__put_u64(wire + offset, UINT64_C(0x1122334455667788));
        assert_int_equal(wire[offset - 1], 0xee);
        assert_int_equal(wire[offset + 8], 0xee);
        assert_true(sotto__get_u64(wire + offset) == UINT64_C(0x1122334455667788));
        sotto__put_u32(wire + offset, 0);
        assert_int_equal(wire[offset + 4], 0x44);
        sotto__put_u16(wire + offset + 4, 0);
        assert_int_equal(wire[offset + 6], 0x22);
    }
}

static void many_numbers_stand_as_one_by_one(void **state)
{
    (void)state;
    const int32_t value[5] = {0, 1, -1, INT32_MIN, 0x12345678};
    uint8_t wire[22], one_by_one[22];
    memset(wire, 0xee, sizeof wire);
    memset(one_by_one, 0xee, sizeof one_by_one);
    sotto__put_i32s(wire + 1, value, 5);
    for (int i = 0; i < 5; i++) {
        sotto__put_u32(one_by_one + 1 + 4 * i, (uint32_t)value[i]);
    }
    assert_memory_equal(wire, one_by_one, sizeof wire);
    int32_t back[6] = {7, 7, 7, 7, 7, 7};
    sotto__get_i32s(wire + 1, back, 5);
    assert_memory_equal(back, value, sizeof value);
    assert_int_equal(back[5], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_that_are_not_numbers_keep_every_bit),
        cmocka_unit_test(the_lowest_byte_comes_first),
        cmocka_unit_test(high_bits_are_not_taken_for_a_sign),
        cmocka_unit_test(a_put_writes_its_own_bytes_and_no_other),
        cmocka_unit_test(many_numbers_stand_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
