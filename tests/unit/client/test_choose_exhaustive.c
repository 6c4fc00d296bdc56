/*
 * The choice, exhaustively: for small codebooks and weights, every array of keys, every set of signs and every coin go
 * through the shipping functions. Each time exactly the k codewords with the largest keys, each with its better sign,
 * come weight_top times, and all others weight_rest times. Scores of 0 are tried with up to 6 codewords.
 *
 * Cosines take as many values as there are codewords, so that every order with every tie is there; half of the
 * differences are in the upper halves of the keys, half in the lower ones. M/2 = 5 goes over all 7,200,000 arrays with
 * SOTTO_SOAK=1, and otherwise over every third one, or every 17th under a sanitizer. Both numbers are prime to the 10
 * cosines and signs of a codeword, so every two codewords still meet in every way.
 */
#include "checked.h"
#include "client/client.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define HALF_MAX 5u
#define INDEX_MAX (3 * HALF_MAX)
#define ZERO_HALF_MAX 3u /* scores of 0 are tried with so many codewords, twice */

/* One array: what the choice is given. */
typedef struct ranked {
    sotto_codebook codebook;
    sotto__hearing aim;
    uint32_t cosine[HALF_MAX], key[3][HALF_MAX];
    uint8_t flipped[HALF_MAX];
} ranked;

/* The keys of set_key: own group, cosine, the lower index first. */
static void set_keys(ranked *at)
{
    const uint32_t half = at->codebook.size / 2;
    for (uint32_t i = 0; i < half; i++) {
        uint64_t cosine = (uint64_t)(at->cosine[i] / 2) << 16 | at->cosine[i] % 2;
        uint64_t own = i % at->codebook.groups == 0;
        uint64_t key = own << 63 | cosine << 16 | (half - 1 - i);
        at->key[0][i] = (uint32_t)(key >> 32);
        at->key[1][i] = (uint32_t)key;
    }
}

/* Does codeword i come before codeword j? By the definition, not by keys. */
static bool is_before(const ranked *at, uint32_t i, uint32_t j)
{
    bool own_i = i % at->codebook.groups == 0, own_j = j % at->codebook.groups == 0;
    if (own_i != own_j) return own_i;
    if (at->cosine[i] != at->cosine[j]) return at->cosine[i] > at->cosine[j];
    return i < j;
}

static bool is_top(const ranked *at, uint32_t index)
{
    const uint32_t size = at->codebook.size, half = size / 2;
    if (index >= size) return at->aim.heard == 0;
    if (at->aim.heard == 0) return false;
    uint32_t before = 0, i = index % half;
    for (uint32_t j = 0; j < half; j++) {
        before += j != i && is_before(at, j, i);
    }
    return before < at->codebook.top && at->flipped[i] == index / half;
}

static uint64_t wrong(ranked *at)
{
    const sotto_codebook *codebook = &at->codebook;
    const uint32_t all = codebook->size + codebook->nulls;
    const uint64_t total =
        codebook->top * codebook->weight_top + (all - codebook->top) * codebook->weight_rest;
    uint64_t times[INDEX_MAX] = {0}, found = 0;
    int32_t normal[1];
    double unit[1];
    set_keys(at);
    for (uint64_t u = 0; u < total; u++) {
        sotto__choice_work work = {normal, unit, at->key[0], at->key[1], at->key[2], at->flipped};
        const sotto__coins coins = {.member = u};
        uint32_t index = sotto__choose_ranked(codebook, &at->aim, &coins, &work);
        if (index >= all) return 1;
        times[index]++;
    }
    for (uint32_t index = 0; index < all; index++) {
        found += times[index] != (is_top(at, index) ? codebook->weight_top : codebook->weight_rest);
    }
    return found;
}

/* A score of 0: without nulls the index is the uniform coin, with nulls it is chosen as any other. */
static void try_zero(ranked *at)
{
    const sotto_codebook *codebook = &at->codebook;
    const uint32_t all = codebook->size + codebook->nulls;
    const uint64_t total =
        codebook->top * codebook->weight_top + (all - codebook->top) * codebook->weight_rest;
    const sotto__hearing zero = {.heard = at->aim.heard, .zero = 1};
    int32_t normal[1];
    double unit[1];
    sotto__choice_work work = {normal, unit, at->key[0], at->key[1], at->key[2], at->flipped};
    set_keys(at);
    for (uint64_t u = 0; u < total; u++) {
        for (uint32_t uniform = 0; uniform < codebook->size; uniform++) {
            const sotto__coins coins = {.member = u, .uniform = uniform};
            uint32_t chosen = sotto__choose_ranked(codebook, &at->aim, &coins, &work);
            uint32_t wanted = codebook->nulls == 0 ? uniform : chosen;
            assert_int_equal(sotto__choose_ranked(codebook, &zero, &coins, &work), wanted);
        }
    }
}

/* Every array of cosines and signs of this codebook, one in `stride`. */
static void try_all(ranked at, uint64_t stride, uint64_t *arrays)
{
    const uint32_t half = at.codebook.size / 2;
    uint64_t count = 1;
    for (uint32_t i = 0; i < half; i++) {
        count *= 2 * half;
    }
    for (uint64_t number = *arrays % stride; number < count; number += stride) {
        uint64_t left = number;
        for (uint32_t i = 0; i < half; i++, left /= 2 * half) {
            at.cosine[i] = (uint32_t)(left % half);
            at.flipped[i] = left / half % 2;
        }
        if (wrong(&at) != 0)
            fail_msg("M/2 %u, k %u, array %llu is wrong", half, at.codebook.top,
                     (unsigned long long)number);
        if (half <= ZERO_HALF_MAX) try_zero(&at);
        ++*arrays;
    }
}

static uint64_t try_half(uint32_t half, uint32_t groups, bool nulls, uint64_t stride)
{
    uint64_t arrays = 0;
    uint32_t own = (half + groups - 1) / groups;
    for (uint32_t k = 1; k <= own; k++) {
        for (uint64_t weight_top = 2; weight_top <= 4; weight_top++) {
            ranked at = {.codebook = {.dim = 1,
                                      .size = 2 * half,
                                      .groups = groups,
                                      .top = k,
                                      .nulls = nulls ? k : 0,
                                      .weight_top = weight_top,
                                      .weight_rest = 1}};
            for (at.aim.heard = nulls ? 0 : 1; at.aim.heard <= 1; at.aim.heard++) {
                try_all(at, stride, &arrays);
            }
        }
    }
    return arrays;
}

TEST(every_key_array_and_every_coin_of_up_to_eight_codewords)
{
    uint64_t arrays = 0;
    for (uint32_t half = 1; half <= 4; half++) {
        arrays += try_half(half, 1, false, 1) + try_half(half, 1, true, 1);
        if (half > 1) arrays += try_half(half, 2, false, 1) + try_half(half, 2, true, 1);
    }
    print_message("%llu arrays\n", (unsigned long long)arrays);
    assert_true(arrays > 200000);
}

TEST(arrays_of_ten_codewords_with_tags_and_with_nulls)
{
    const uint64_t stride = getenv("SOTTO_SOAK") != NULL ? 1 : LOADS_ARE_CHECKED ? 17 : 3;
    uint64_t arrays = 0;
    for (uint32_t groups = 1; groups <= 2; groups++) {
        arrays += try_half(5, groups, false, stride) + try_half(5, groups, true, stride);
    }
    print_message("%llu arrays\n", (unsigned long long)arrays);
    assert_true(arrays > 7100000 / stride);
}
