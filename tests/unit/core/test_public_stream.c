/*
 * The public streams of a round: ChaCha8, the arm of a nonce, the signs of the arms.
 *
 * The wanted bytes come from a ChaCha in Python, written from RFC 8439 and checked with 20 rounds
 * against the vector of its section 2.3.2, then run with 8 rounds.
 */
#include "test.h"

#include "core/core.h"

#include <string.h>

static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t nonce[16] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                  0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};

static sotto_terms with_arms(uint32_t arms)
{
    sotto_terms terms = {.spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS)};
    terms.spec.arms = arms;
    memcpy(terms.stream_key, key, sizeof key);
    return terms;
}

TEST(a_key_and_nonce_of_zeros_give_the_published_block)
{
    static const uint8_t zeros[16];
    static const uint8_t wanted[64] = {
        0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6, 0x7f, 0x5b, 0xb8, 0xe8, 0x1f,
        0x09, 0xa5, 0xa1, 0x2c, 0x84, 0x0e, 0xc3, 0xce, 0x9a, 0x7f, 0x3b, 0x18, 0x1b,
        0xe1, 0x88, 0xef, 0x71, 0x1a, 0x1e, 0x98, 0x4c, 0xe1, 0x72, 0xb9, 0x21, 0x6f,
        0x41, 0x9f, 0x44, 0x53, 0x67, 0x45, 0x6d, 0x56, 0x19, 0x31, 0x4a, 0x42, 0xa3,
        0xda, 0x86, 0xb0, 0x01, 0x38, 0x7b, 0xfd, 0xb8, 0x0e, 0x0c, 0xfe, 0x42};
    const sotto__block_at at = {zeros, zeros, 0, 0, 0};
    uint8_t block[64];
    sotto__public_block(&at, 0, block);
    assert_memory_equal(block, wanted, sizeof wanted);
}

TEST(every_word_of_the_input_stands_in_its_place)
{
    static const uint8_t wanted[64] = {
        0x12, 0xb2, 0x02, 0x8f, 0x81, 0x6c, 0x84, 0x1b, 0x39, 0x35, 0x49, 0xb2, 0xde,
        0x83, 0x0e, 0xef, 0xc8, 0xa4, 0x21, 0xf1, 0x63, 0xd7, 0x53, 0x2b, 0xaa, 0xe3,
        0x41, 0x35, 0xac, 0x8f, 0xf2, 0xd5, 0x88, 0xf2, 0x6d, 0x38, 0x8c, 0x2d, 0x12,
        0x71, 0x24, 0x4e, 0x2a, 0x3f, 0x19, 0x80, 0x0e, 0x16, 0x7e, 0x0f, 0xfc, 0x4a,
        0x15, 0xfe, 0xa6, 0x6a, 0xb2, 0xaf, 0x8c, 0x3e, 0xf1, 0x98, 0x49, 0x3b};
    const sotto__block_at at = {key, nonce, SOTTO__STREAM_CODEBOOK, 0x01020304, 9};
    uint8_t block[64];
    sotto__public_block(&at, 7, block);
    assert_memory_equal(block, wanted, sizeof wanted);
}

TEST(a_change_of_any_input_changes_the_block)
{
    uint8_t other_key[16], other_nonce[16], first[64], second[64];
    memcpy(other_key, key, sizeof key);
    memcpy(other_nonce, nonce, sizeof nonce);
    other_key[15] ^= 0x80;
    other_nonce[15] ^= 0x80;
    const sotto__block_at at = {key, nonce, 1, 0, 0};
    const sotto__block_at others[] = {{other_key, nonce, 1, 0, 0},
                                      {key, other_nonce, 1, 0, 0},
                                      {key, nonce, 2, 0, 0},
                                      {key, nonce, 1, 1, 0},
                                      {key, nonce, 1, 0, 1}};
    sotto__public_block(&at, 0, first);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        sotto__public_block(&others[i], 0, second);
        assert_memory_not_equal(first, second, sizeof first);
    }
    sotto__public_block(&at, 1, second);
    assert_memory_not_equal(first, second, sizeof first);
}

/* By Python's hashlib: sha256(b"sotto/1" + bytes(range(16))).digest()[:16]. */
TEST(the_stream_key_is_the_digest_of_domain_and_id)
{
    static const uint8_t wanted[16] = {0x9d, 0x66, 0xa3, 0x4f, 0xf2, 0xaa, 0x02, 0x6c,
                                       0xdb, 0xd8, 0xc5, 0x60, 0xac, 0xae, 0x42, 0xa9};
    uint8_t stream_key[16];
    sotto_stream_key_derive(key, stream_key);
    assert_memory_equal(stream_key, wanted, sizeof wanted);
}

/* floor(arms h / 2^64) in Python's integers, for nonces of sixteen equal bytes. No spec has
 * 2^32 - 1 arms, but only so many make the low half of h count. */
TEST(the_assigned_arm_is_the_nonce_s_share_of_the_arms)
{
    static const uint32_t arms[6] = {2, 3, 10, 1000, 1024, UINT32_MAX};
    static const uint32_t wanted[6][6] = {
        {0, 0, 1, 120, 123, 517174999},  {0, 0, 1, 185, 189, 796521685},
        {1, 2, 7, 797, 816, 3426404751}, {0, 0, 2, 257, 263, 1103837690},
        {0, 0, 1, 196, 201, 845417788},  {1, 2, 9, 930, 952, 3995268409}};
    for (uint8_t byte = 0; byte < 6; byte++) {
        uint8_t repeated[16];
        memset(repeated, byte, sizeof repeated);
        for (int i = 0; i < 6; i++) {
            sotto_terms terms = with_arms(arms[i]);
            assert_true(sotto__assigned_arm(&terms, repeated) == wanted[byte][i]);
        }
    }
}

/* 4096 nonces over 5 arms: 819.2 each, sd 25.6; 130 is five sd. */
TEST(assigned_arms_are_below_the_count_and_even)
{
    sotto_terms terms = with_arms(5);
    int seen[5] = {0};
    for (uint32_t i = 0; i < 4096; i++) {
        uint8_t fresh[16] = {(uint8_t)i, (uint8_t)(i >> 8)};
        uint32_t arm = sotto__assigned_arm(&terms, fresh);
        assert_true(arm < 5);
        seen[arm]++;
    }
    for (int arm = 0; arm < 5; arm++) {
        assert_near(seen[arm], 819.2, 130);
    }
}

/* The first two blocks of stream SIGNS: 512 arms a block, the lowest bit first, 1 for -1. */
TEST(arm_signs_are_the_bits_of_their_stream_beyond_one_block)
{
    static const uint8_t bits[128] = {
        0xb9, 0xc1, 0x8f, 0x85, 0xf7, 0x78, 0x19, 0x3b, 0xd6, 0xc0, 0x40, 0xa4, 0x80, 0xca, 0x1a,
        0xc8, 0xed, 0x48, 0xd5, 0xd9, 0x7b, 0xfb, 0x84, 0x91, 0x3e, 0x27, 0x4c, 0x15, 0xf9, 0x7c,
        0x3e, 0x0e, 0x25, 0x12, 0x4d, 0x64, 0x47, 0xb1, 0xc6, 0x87, 0x47, 0xfb, 0x5a, 0x1b, 0xbc,
        0xfc, 0x05, 0xe9, 0x56, 0x12, 0x0b, 0x10, 0x96, 0x2b, 0xed, 0x7f, 0xc5, 0x62, 0xed, 0xb5,
        0x72, 0xc2, 0xf1, 0x9f, 0xfd, 0xda, 0x2a, 0x29, 0x80, 0x97, 0xba, 0xf0, 0x33, 0x4b, 0xe8,
        0x0f, 0x95, 0x5a, 0x50, 0x31, 0x5d, 0x20, 0x41, 0x79, 0x08, 0xe3, 0x5b, 0x4d, 0xd3, 0x73,
        0xe4, 0xe4, 0x9d, 0x18, 0xd2, 0xa3, 0x44, 0x38, 0x67, 0x9d, 0x93, 0xbb, 0x2a, 0x91, 0xfa,
        0x36, 0x7e, 0x5b, 0x77, 0xf2, 0x37, 0x57, 0xe4, 0xbb, 0xf2, 0xdf, 0x1b, 0x0a, 0xfd, 0xa0,
        0x26, 0xef, 0xae, 0xe0, 0x16, 0x13, 0xa5, 0x81};
    sotto_terms terms = with_arms(1024);
    int8_t sign[1025] = {[1024] = 99};
    sotto__arm_signs(&terms, nonce, sign);
    for (int k = 0; k < 1024; k++) {
        assert_int_equal(sign[k], (bits[k / 8] >> (k % 8) & 1) == 1 ? -1 : 1);
    }
    assert_int_equal(sign[1024], 99);
}

TEST(fewer_arms_get_the_first_of_the_same_signs)
{
    sotto_terms many = with_arms(1024), few = with_arms(3);
    int8_t all[1024], first[4] = {0, 0, 0, 99};
    sotto__arm_signs(&many, nonce, all);
    sotto__arm_signs(&few, nonce, first);
    assert_memory_equal(all, first, 3);
    assert_int_equal(first[3], 99);
}

TEST(roles_are_shares_of_the_first_word_of_their_stream)
{
    sotto_terms terms = {.stream_key = {1, 2, 3}};
    const uint8_t drawn[SOTTO_NONCE_BYTES] = {9, 8, 6};
    const sotto__block_at at = {terms.stream_key, drawn, 4, 0, 0};
    uint32_t word[16];
    sotto__public_words(&at, 0, word);
    uint32_t u = word[0];
    assert_true(u > 1 && u < UINT32_MAX / 2); /* of these bytes */
    static const sotto_role learn = SOTTO_ROLE_LEARN;
    assert_int_equal(sotto__role_of(&terms, drawn, true), learn);
    terms.spec.measure = u;
    assert_int_equal(sotto__role_of(&terms, drawn, true), learn);
    terms.spec.measure = u + 1;
    assert_int_equal(sotto__role_of(&terms, drawn, true), SOTTO_ROLE_FOLLOW);
    assert_int_equal(sotto__role_of(&terms, drawn, false), learn);
    terms.spec.measure = 2 * u + 1; /* floor(m/2) = u */
    assert_int_equal(sotto__role_of(&terms, drawn, true), SOTTO_ROLE_FOLLOW);
    terms.spec.measure = 2 * u + 2;
    assert_int_equal(sotto__role_of(&terms, drawn, true), SOTTO_ROLE_CONTROL);
    assert_int_equal(sotto__role_of(&terms, drawn, false), SOTTO_ROLE_CONTROL);
}

TEST(a_measure_codebook_has_the_weights_of_its_phase)
{
    const sotto_codebook main = sotto_codebook_constants(10, 64, 1, 2);
    const sotto_codebook one = sotto__measure_codebook(&main),
                         line = sotto_codebook_constants(1, 2, 1, 2);
    assert_ints(one.dim, 1, one.size, 2, one.top, 1, one.nulls, 0);
    assert_true(one.weight_top == main.weight_top && one.weight_rest == main.weight_rest);
    assert_near(one.scale, line.scale, 1e-8); /* w_top is rounded */
}
