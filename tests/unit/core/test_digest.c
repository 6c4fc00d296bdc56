/* Bytes of the formats: order, digests, and the choice between them that does not branch. */
#include "core/core.h"
#include "core/inner.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Integers and doubles go out little-endian and come back bit for bit, from any address. */

TEST(doubles_that_are_not_numbers_keep_every_bit)
{
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

TEST(the_lowest_byte_comes_first)
{
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

    assert_ints(sotto__get_u16(ascending), 0x0201, sotto__get_u32(ascending), 0x04030201);
    assert_true(sotto__get_u64(ascending) == UINT64_C(0x0807060504030201));
    assert_true(sotto__get_f64(one_and_a_half) == 1.5);
}

TEST(high_bits_are_not_taken_for_a_sign)
{
    static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t high[8] = {0, 0x80, 0, 0x80, 0, 0, 0, 0x80};
    assert_true(sotto__get_u16(ones) == UINT16_MAX);
    assert_true(sotto__get_u32(ones) == UINT32_MAX);
    assert_true(sotto__get_u64(ones) == UINT64_MAX);
    assert_true(sotto__get_u16(high) == 0x8000u);
    assert_true(sotto__get_u32(high) == 0x80008000u);
    assert_true(sotto__get_u64(high) == UINT64_C(0x8000000080008000));
}

TEST(a_put_writes_its_own_bytes_and_no_other)
{
    for (size_t offset = 1; offset < 8; offset++) {
        uint8_t wire[24];
        memset(wire, 0xee, sizeof wire);
        sotto__put_u64(wire + offset, UINT64_C(0x1122334455667788));
        assert_ints(wire[offset - 1], 0xee, wire[offset + 8], 0xee);
        assert_true(sotto__get_u64(wire + offset) == UINT64_C(0x1122334455667788));
        sotto__put_u32(wire + offset, 0);
        assert_int_equal(wire[offset + 4], 0x44);
        sotto__put_u16(wire + offset + 4, 0);
        assert_int_equal(wire[offset + 6], 0x22);
    }
}

TEST(many_numbers_stand_as_one_by_one)
{
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

/* SHA-256 gives the published digests, however the message is cut. */

static void assert_digest(sotto__digest *digest, const char *wanted)
{
    uint8_t out[SOTTO__DIGEST_BYTES];
    char hex[2 * SOTTO__DIGEST_BYTES + 1];
    sotto__digest_end(digest, out);
    for (size_t i = 0; i < sizeof out; i++) {
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
    }
    assert_string_equal(hex, wanted);
}

TEST(an_empty_message_and_empty_pieces_have_the_empty_digest)
{
    const char *empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    sotto__digest digest;
    sotto__digest_begin(&digest);
    assert_digest(&digest, empty);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, NULL, 0);
    sotto__digest_add(&digest, "", 0);
    assert_digest(&digest, empty);
}

/* FIPS 180-4 examples: 24, 448 and 896 bits, cut in two at every place. */
TEST(nist_messages_have_their_digests_wherever_they_are_cut)
{
    static const struct {
        const char *message, *digest;
    } nist[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
         "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof nist / sizeof nist[0]; i++) {
        size_t length = strlen(nist[i].message);
        for (size_t cut = 0; cut <= length; cut++) {
            sotto__digest digest;
            sotto__digest_begin(&digest);
            sotto__digest_add(&digest, nist[i].message, cut);
            sotto__digest_add(&digest, nist[i].message + cut, length - cut);
            assert_digest(&digest, nist[i].digest);
        }
    }
}

TEST(a_million_letters_have_their_digest_in_pieces_of_any_size)
{
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    static const size_t piece[] = {1, 63, 64, 65, 1000};
    for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
        sotto__digest digest;
        sotto__digest_begin(&digest);
        for (size_t done = 0; done < 1000000;) {
            size_t left = 1000000 - done;
            size_t take = left < piece[i] ? left : piece[i];
            sotto__digest_add(&digest, letters, take);
            done += take;
        }
        assert_digest(&digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

/* Lengths around the place where padding needs another block; digests by Python's hashlib. */
TEST(messages_that_nearly_fill_a_block_are_padded_right)
{
    static const struct {
        size_t length;
        const char *digest;
    } zeros[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"},
        {119, "f616b0d54e78571a9611f343c9f8e022e859e920381ab0e4d3da01e193a7bd7e"},
        {120, "6edd9f6f9cc92cded36e6c4a580933f9c9f1b90562b46903b806f21902a1a54f"},
        {128, "38723a2e5e8a17aa7950dc008209944e898f69a7bd10a23c839d341e935fd5ca"},
    };
    static const uint8_t zero[128];
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        sotto__digest digest;
        sotto__digest_begin(&digest);
        sotto__digest_add(&digest, zero, zeros[i].length);
        assert_digest(&digest, zeros[i].digest);
    }
}

/* The rounds of SHA-256 are the same by the processor's instructions and in plain C. */

#define BLOCKS 9

/* digest_rounds_x86_64.c on instructions that tests/support/emulated has in plain C. */
bool emulated_digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);
bool without_digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);
unsigned emulated_questions;

typedef bool rounds_function(uint32_t state[8], const uint8_t *blocks, size_t count);

static void assert_same_rounds(rounds_function *rounds)
{
    tape random = tape_seeded(3);
    for (size_t trial = 0; trial < 200; trial++) {
        uint8_t blocks[64 * BLOCKS + 1];
        uint32_t wanted[8], got[8];
        size_t count = trial % (BLOCKS + 1), off = trial % 2; /* at odd addresses, too */
        assert_ok(random.rng.fill(&random.rng, wanted, sizeof wanted));
        assert_ok(random.rng.fill(&random.rng, blocks, sizeof blocks));
        memcpy(got, wanted, sizeof got);
        sotto__digest_rounds(wanted, blocks + off, count);
        assert_true(rounds(got, blocks + off, count));
        assert_memory_equal(got, wanted, sizeof got);
    }
}

/* FIPS 180-4's own example: the one block of "abc". */
TEST(the_block_of_the_standard_has_its_state)
{
    uint32_t digest[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint32_t wanted[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint8_t block[64] = {'a', 'b', 'c', 0x80};
    block[63] = 24;
    sotto__digest_rounds(digest, block, 1);
    assert_memory_equal(digest, wanted, sizeof wanted);
}

TEST(this_processor_s_rounds_are_those_in_plain_c)
{
    uint32_t untouched[8] = {1, 2, 3};
    if (!sotto__digest_rounds_by_cpu(untouched, NULL, 0)) {
        const uint8_t block[64] = {0};
        assert_false(sotto__digest_rounds_by_cpu(untouched, block, 1));
        assert_int_equal(untouched[1], 2);
        print_message("this processor has no instructions for SHA-256\n");
        skip();
    }
    assert_same_rounds(sotto__digest_rounds_by_cpu);
}

TEST(the_rounds_of_x86_64_are_those_in_plain_c)
{
    assert_same_rounds(emulated_digest_rounds);
    assert_int_equal(emulated_questions, 1); /* each may take as long as a hundred blocks */
}

/* Asked for the first time, and when the answer is known. */
TEST(a_processor_without_instructions_computes_nothing)
{
    const uint8_t block[64] = {0};
    uint32_t untouched[8] = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        assert_false(without_digest_rounds(untouched, block, 1));
        assert_int_equal(untouched[1], 2);
    }
}

/* The nearer of a number and its bound, for every kind of number. */

TEST(what_is_not_a_number_becomes_the_bound)
{
    assert_true(sotto__at_most(NAN, 3) == 3);
    assert_true(sotto__at_least(NAN, -3) == -3);
    assert_true(sotto__within(NAN, -3, 3) == 3);
    assert_true(sotto__at_most(-NAN, 3) == 3);
}

TEST(infinities_become_the_bound_or_stay)
{
    assert_true(sotto__at_most(INFINITY, 3) == 3);
    assert_true(sotto__at_most(-INFINITY, 3) == -INFINITY);
    assert_true(sotto__at_least(-INFINITY, -3) == -3);
    assert_true(sotto__at_least(INFINITY, -3) == INFINITY);
    assert_true(sotto__within(INFINITY, -3, 3) == 3);
    assert_true(sotto__within(-INFINITY, -3, 3) == -3);
}

TEST(numbers_are_the_nearer_one)
{
    static const double number[] = {-DBL_MAX,  -1.5, -1, -0.5, -0x1p-1074, 0,
                                    0x1p-1074, 0.5,  1,  1.5,  DBL_MAX};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        double x = number[i];
        for (size_t j = 0; j < sizeof number / sizeof number[0]; j++) {
            assert_true(sotto__at_most(x, number[j]) == fmin(x, number[j]));
            assert_true(sotto__at_least(x, number[j]) == fmax(x, number[j]));
        }
        assert_true(sotto__within(x, -1, 1) == fmax(-1, fmin(1, x)));
    }
}

/* Which of two zeros, as every machine has it: the bound. */
TEST(of_two_zeros_it_is_the_bound)
{
    assert_true(signbit(sotto__at_most(0., -0.)) != 0);
    assert_true(signbit(sotto__at_most(-0., 0.)) == 0);
    assert_true(signbit(sotto__at_least(0., -0.)) != 0);
    assert_true(signbit(sotto__at_least(-0., 0.)) == 0);
}
