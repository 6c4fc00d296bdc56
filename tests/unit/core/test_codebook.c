/*
 * Codewords and the table of normals that they are made of.
 *
 * The golden codewords come from Python: the definition at the head of codebook.c over a ChaCha8
 * checked against RFC 8439 and a table made by mpmath's erfinv.
 */
#include "test.h"

#include "core/core.h"
#include "core/inner.h"

#include <math.h>

static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t nonce[16] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                  0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};

TEST(a_codebook_without_a_pair_is_refused)
{
    const sotto_codebook single = {.dim = 1, .size = 1, .groups = 1};
    int32_t out[1];
    assert_status(sotto_codebook_expand(&single, key, nonce, 0, 0, out), SOTTO_E_INDEX);
}

TEST(an_index_past_the_codebook_is_refused_and_writes_nothing)
{
    const sotto_codebook codebook = {.dim = 4, .size = 64, .groups = 1};
    static const uint32_t past[] = {64, 65, 128, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        int32_t out[4] = {1, 2, 3, 4};
        assert_status(sotto_codebook_expand(&codebook, key, nonce, past[i], 0, out), SOTTO_E_INDEX);
        assert_ints(out[0], 1, out[3], 4);
    }
    int32_t out[4];
    assert_ok(sotto_codebook_expand(&codebook, key, nonce, 63, 0, out));
}

TEST(the_last_of_two_codewords_is_the_last)
{
    const sotto_codebook pair = {.dim = 3, .size = 2, .groups = 1};
    int32_t first[3], second[3];
    assert_ok(sotto_codebook_expand(&pair, key, nonce, 0, 0, first));
    assert_ok(sotto_codebook_expand(&pair, key, nonce, 1, 0, second));
    assert_status(sotto_codebook_expand(&pair, key, nonce, 2, 0, second), SOTTO_E_INDEX);
    assert_int_equal(first[0], -second[0]);
}

/* Phi((n-1/2)/8192) < (i+1/2)/4096 < Phi((n+1/2)/8192): n is the rounded quantile. */
TEST(every_entry_of_the_table_is_a_rounded_normal_quantile)
{
    for (uint32_t i = 0; i < SOTTO__TABLE_SIZE; i++) {
        double n = sotto__normal_table[i];
        double below = 0.5 * erfc(-(n - 0.5) / 8192 * 0.70710678118654752440);
        double above = 0.5 * erfc(-(n + 0.5) / 8192 * 0.70710678118654752440);
        double wanted = (i + 0.5) / 4096;
        assert_true(below < wanted);
        assert_true(wanted < above);
    }
}

TEST(the_table_is_antisymmetric_rising_and_never_zero)
{
    for (uint32_t i = 0; i < SOTTO__TABLE_SIZE; i++) {
        int n = sotto__normal_table[i];
        assert_int_equal(n, -sotto__normal_table[SOTTO__TABLE_SIZE - 1 - i]);
        assert_true(n != 0);
        assert_true(i == 0 || n > sotto__normal_table[i - 1]);
    }
}

TEST(golden_codeword_of_four_coordinates_in_either_half)
{
    static const int32_t wanted[4] = {153971660, -114569114, -434492937, -962966271};
    const sotto_codebook codebook = {.dim = 4, .size = 64, .groups = 1};
    int32_t out[5] = {[4] = 99};
    assert_ok(sotto_codebook_expand(&codebook, key, nonce, 5, 0, out));
    assert_memory_equal(out, wanted, sizeof wanted);
    assert_ok(sotto_codebook_expand(&codebook, key, nonce, 37, 0, out));
    for (int j = 0; j < 4; j++) {
        assert_int_equal(out[j], -wanted[j]);
    }
    assert_int_equal(out[4], 99);
}

/* Two blocks, arm 2, index 200 of 258: the opposite of index 71. */
TEST(golden_codeword_of_forty_coordinates_of_another_arm)
{
    static const int32_t wanted[40] = {
        303614290,  -20854265,  -281867334, 46196784,  157312076,  -234529889, -113471005,
        112603111,  -393900114, -282189695, -91302500, -20110355,  -13241590,  -149203462,
        -184960715, 236216084,  -14109485,  30500292,  192821359,  81383706,   120067004,
        92542350,   -272097322, -115082810, 257566288, -191829480, -144368049, -40989417,
        34046261,   67026252,   -68737244,  62042058,  -265526120, -85847164,  -107718105,
        -9646027,   -256723191, 212237399,  70299454,  -129985798};
    const sotto_codebook codebook = {.dim = 40, .size = 258, .groups = 3};
    int32_t out[40];
    assert_ok(sotto_codebook_expand(&codebook, key, nonce, 200, 2, out));
    assert_memory_equal(out, wanted, sizeof wanted);
    assert_ok(sotto_codebook_expand(&codebook, key, nonce, 200, 1, out));
    assert_memory_not_equal(out, wanted, sizeof wanted);
}

TEST(golden_normals_of_the_same_codeword)
{
    static const int32_t wanted[40] = {-12244, 841,   11367, -1863, -6344, 9458,  4576,  -4541,
                                       15885,  11380, 3682,  811,   534,   6017,  7459,  -9526,
                                       569,    -1230, -7776, -3282, -4842, -3732, 10973, 4641,
                                       -10387, 7736,  5822,  1653,  -1373, -2703, 2772,  -2502,
                                       10708,  3462,  4344,  389,   10353, -8559, -2835, 5242};
    const sotto__block_at at = {key, nonce, SOTTO__STREAM_CODEBOOK, 71, 2};
    int32_t normal[40];
    double squares = 0;
    for (int j = 0; j < 40; j++) {
        squares += (double)wanted[j] * wanted[j];
    }
    assert_true(sotto__codeword_normals(&at, 40, normal) == squares);
    assert_memory_equal(normal, wanted, sizeof wanted);
}

/* Also across the last codeword of all, where the count begins again. */
TEST(four_and_eight_at_once_are_the_same_as_one_by_one)
{
    static const uint32_t dims[] = {1, 2, 3, 31, 32, 33, 40, 64, 65},
                          first[] = {0, 5, UINT32_MAX - 1};
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        for (size_t f = 0; f < sizeof first / sizeof first[0]; f++) {
            sotto__block_at at = {key, nonce, SOTTO__STREAM_CODEBOOK, first[f], 3};
            int32_t four[4 * 65 + 1], eight[8 * 65 + 1], one[65];
            double of_four[4], of_eight[8];
            four[4 * dims[d]] = eight[8 * dims[d]] = 12345;
            sotto__four_codewords_normals(&at, dims[d], four, of_four);
            sotto__eight_codewords_normals(&at, dims[d], eight, of_eight);
            for (uint32_t c = 0; c < 8; c++, at.codeword++) {
                double squares = sotto__codeword_normals(&at, dims[d], one);
                assert_true(squares == of_eight[c] && (c >= 4 || squares == of_four[c]));
                for (uint32_t j = 0; j < dims[d]; j++) {
                    assert_int_equal(eight[c / 4 * 4 * dims[d] + 4 * j + c % 4], one[j]);
                    if (c < 4) assert_int_equal(four[4 * j + c], one[j]);
                }
            }
            assert_ints(four[4 * dims[d]], 12345, eight[8 * dims[d]], 12345);
        }
    }
}

TEST(antipodes_are_exact_negatives)
{
    const sotto_codebook codebook = {.dim = 33, .size = 1024, .groups = 1};
    int32_t first[33], second[33];
    for (uint32_t i = 0; i < 512; i++) {
        assert_ok(sotto_codebook_expand(&codebook, key, nonce, i, 0, first));
        assert_ok(sotto_codebook_expand(&codebook, key, nonce, i + 512, 0, second));
        for (int j = 0; j < 33; j++) {
            assert_int_equal(first[j], -second[j]);
        }
    }
}

/* Each coordinate is off by at most 1/2, so the norm by at most sqrt(d)/2. */
TEST(a_codeword_has_norm_two_to_the_thirty_within_rounding)
{
    static const uint32_t dims[] = {1, 2, 31, 32, 33, 64, 1000};
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        const sotto_codebook codebook = {.dim = dims[i], .size = 64, .groups = 1};
        int32_t out[1000];
        for (uint32_t index = 0; index < 64; index++) {
            assert_ok(sotto_codebook_expand(&codebook, key, nonce, index, 0, out));
            double squares = 0;
            for (uint32_t j = 0; j < dims[i]; j++) {
                squares += (double)out[j] * out[j];
            }
            assert_near(sqrt(squares), 0x1p30, sqrt(dims[i]) / 2 + 1e-6);
        }
    }
}

TEST(a_line_has_two_codewords)
{
    const sotto_codebook codebook = {.dim = 1, .size = 64, .groups = 1};
    for (uint32_t index = 0; index < 64; index++) {
        int32_t out[1];
        assert_ok(sotto_codebook_expand(&codebook, key, nonce, index, 0, out));
        assert_true(out[0] == 1 << 30 || out[0] == -(1 << 30));
    }
}

TEST(a_shorter_codeword_uses_a_prefix_of_the_same_normals)
{
    const sotto__block_at at = {key, nonce, SOTTO__STREAM_CODEBOOK, 6, 0};
    int32_t whole[100], part[101];
    sotto__codeword_normals(&at, 100, whole);
    for (uint32_t dim = 1; dim <= 100; dim++) {
        part[dim] = 99;
        double squares = 0;
        for (uint32_t j = 0; j < dim; j++) {
            squares += (double)whole[j] * whole[j];
        }
        assert_true(sotto__codeword_normals(&at, dim, part) == squares);
        assert_memory_equal(part, whole, dim * sizeof whole[0]);
        assert_int_equal(part[dim], 99);
    }
}
