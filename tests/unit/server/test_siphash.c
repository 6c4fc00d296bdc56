/* SipHash-2-4 gives the hashes of its paper and of its authors' list. */
#include "server/siphash.h"
#include "test.h"

static void the_authors_hashes(void **state)
{
    (void)state;
    /* Of the bytes 0, 1, 2, ... under the key 0, 1, ..., 15; the one of 15 bytes is the paper's. */
    static const struct {
        size_t bytes;
        uint64_t hash;
    } wanted[] = {{0, 0x726fdb47dd0e0e31},
                  {1, 0x74f839c593dc67fd},
                  {2, 0x0d6c8009d9a94f5a},
                  {3, 0x85676696d7fb7e2d},
                  {15, 0xa129ca6149be45e5}};
    uint8_t key[SOTTO__SIPHASH_KEY_BYTES], bytes[64];
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i;
        if (i < sizeof key) key[i] = i;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_true(sotto__siphash(key, bytes, wanted[i].bytes) == wanted[i].hash);
    }
}

static void every_bit_of_key_and_message_counts(void **state)
{
    (void)state;
    uint8_t key[SOTTO__SIPHASH_KEY_BYTES] = {0}, bytes[19] = {0};
    uint64_t before = sotto__siphash(key, bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(sotto__siphash(key, bytes, sizeof bytes) != before);
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(sotto__siphash(key, bytes, sizeof bytes) != before);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(sotto__siphash(key, bytes, sizeof bytes - 1) != before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_authors_hashes),
        cmocka_unit_test(every_bit_of_key_and_message_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
