/*
 * The codebook randomiser (docs/privacy.md, "Codebook").
 *
 * TOP = the k codewords with the largest |<z_i, v>| among i < M/2 (of the group, where codewords
 * carry arm tags), each with its better sign. With W = k w_top + (M - k) w_rest and u uniform in
 * [0, W):
 *
 *   u < k w_top:  member u / w_top of TOP
 *   otherwise:    member (u - k w_top) / w_rest of the other M - k
 *
 * Whatever floating point did to the ranking, TOP has k members, so each index has probability
 * exactly w_top/W or w_rest/W, and w_top <= e^eps w_rest in integers.
 *
 * With nulls, k more indices M, ..., M + k - 1 that say nothing, a score of length n < 1 is heard
 * with probability n, as the unit vector v/n, and otherwise TOP = the nulls. Then every input has k
 * indices of weight w_top and M of weight w_rest, W = k w_top + M w_rest.
 *
 * Selection takes a fixed number of passes; conditions on secrets are arithmetic, not branches.
 */
#include "choose_codeword.h"
#include "core/codebook.h"
#include "core/linalg.h"
#include "core/secret.h"
#include "wipe.h"

#include <assert.h>
#include <math.h>

/* A key orders codewords: own group first, then |cosine| in 2^-46ths, then the lower index. Its
 * halves are kept apart, because the selection goes through them one after the other. */
#define KEY_GROUP_BIT 63
#define KEY_COSINE_SHIFT 16
#define KEY_COSINE_ONE 0x1p46

static_assert(SOTTO_CODEBOOK_SIZE_MAX / 2 <= 1 << KEY_COSINE_SHIFT, "an index fits below a cosine");

sotto_status sotto__draw_coins(const sotto_codebook *codebook, sotto_rng *rng, sotto__coins *coins)
{
    uint64_t top = codebook->top * codebook->weight_top;
    uint64_t rest = (codebook->size + codebook->nulls - codebook->top) * codebook->weight_rest;
    sotto_status status = sotto__draw_u64(rng, &coins->sign);
    if (status == SOTTO_OK) status = sotto__draw_below(rng, top + rest, &coins->member);
    if (status == SOTTO_OK) status = sotto__draw_below(rng, codebook->size, &coins->uniform);
    return status;
}

/* What becomes of a score before codewords are ranked; each is 0 or 1. */
typedef struct aim {
    uint64_t
        zero; /* it is 0, or so short that its square underflows: the direction means nothing */
    uint64_t heard; /* TOP are the codewords nearest to the direction; otherwise the nulls */
} aim;

/* The direction of v. Without nulls its sign is flipped with probability (1 - ||v||)/2, so that its
 * mean is v; with nulls it is heard with probability ||v||. Chances are in the 53 bits that a double
 * holds. */
static aim aim_at(const sotto_codebook *codebook, const double *v, uint64_t coin, double *out)
{
    double norm = sqrt(sotto__dot(v, v, codebook->dim));
    uint64_t zero = sotto__bit(norm < 1e-140), nulls = codebook->nulls > 0;
    double length = sotto__at_most(norm, 1), chance = (double)(coin >> 11) * 0x1p-53;
    uint64_t flip = sotto__bit(chance < (1 - length) / 2) & (1 - nulls);
    uint64_t heard = (sotto__bit(chance < length) & (1 - zero)) | (1 - nulls);
    /* By signed integers, here and below: some processors have no instruction for others, but a branch. */
    double factor = (1 - 2.0 * (double)(int64_t)flip) / (norm + (double)(int64_t)zero);
    for (uint32_t j = 0; j < codebook->dim; j++) {
        out[j] = v[j] * factor;
    }
    return (aim){zero, heard};
}

/* The key of codeword i, from its product with the direction and the sum of its squares. */
static inline void set_key(const sotto_codebook *codebook, uint32_t group, uint32_t i,
                           double product, double squares, sotto__choice_work *work)
{
    double cosine = product / sqrt(squares);
    uint64_t own = i % codebook->groups == group;
    uint64_t size = (uint64_t)(int64_t)(sotto__at_most(fabs(cosine), 1) * KEY_COSINE_ONE);
    uint64_t before = codebook->size / 2 - 1 - i;
    uint64_t key = own << KEY_GROUP_BIT | size << KEY_COSINE_SHIFT | before;
    work->key_high[i] = (uint32_t)(key >> 32);
    work->key_low[i] = (uint32_t)key;
    work->flipped[i] = cosine < 0;
}

/* product_c = <n_c, unit>; coordinate j of four codewords stands side by side. */
static inline void multiply_four(const int32_t *normal, const double *unit, uint32_t dim,
                                 double product[4])
{
    sotto__pair low = {0, 0}, high = {0, 0};
    for (const double *end = unit + dim; unit < end; unit++, normal += 4) {
        low += (sotto__pair){normal[0], normal[1]} * *unit;
        high += (sotto__pair){normal[2], normal[3]} * *unit;
    }
    product[0] = low[0], product[1] = low[1], product[2] = high[0], product[3] = high[1];
}

static double multiply_one(const int32_t *normal, const double *unit, uint32_t dim)
{
    double product = 0;
    for (uint32_t j = 0; j < dim; j++) {
        product += normal[j] * unit[j];
    }
    return product;
}

uint32_t sotto__codewords_at_once(uint32_t count)
{
    if (count >= 8) return 8;
    return count >= 4 ? 4 : 1;
}

/* The products with `lanes` codewords, 1, 4 or 8 of them from at->codeword on, and their squares. */
static void multiply(const sotto__block_at *at, uint32_t lanes, uint32_t dim,
                     const sotto__choice_work *work, double *product, double *squares)
{
    int32_t *normal = work->normal;
    if (lanes == 1) {
        squares[0] = sotto__codeword_normals(at, dim, normal);
        product[0] = multiply_one(normal, work->unit, dim);
        return;
    }
    if (lanes == 8) {
        sotto__eight_codewords_normals(at, dim, normal, squares);
        multiply_four(normal + 4 * (size_t)dim, work->unit, dim, product + 4);
    } else {
        sotto__four_codewords_normals(at, dim, normal, squares);
    }
    multiply_four(normal, work->unit, dim, product);
}

static void rank_codewords(const sotto__choice *choice, uint32_t group, sotto__choice_work *work)
{
    const sotto_codebook *codebook = choice->codebook;
    uint32_t half = codebook->size / 2;
    sotto__block_at at = {choice->stream_key, choice->nonce, SOTTO__STREAM_CODEBOOK, 0,
                          choice->arm};
    double product[8], squares[8];
    while (at.codeword < half) {
        uint32_t lanes = sotto__codewords_at_once(half - at.codeword);
        multiply(&at, lanes, codebook->dim, work, product, squares);
        for (uint32_t c = 0; c < lanes; c++, at.codeword++) {
            set_key(codebook, group, at.codeword, product[c], squares[c], work);
        }
    }
    sotto__wipe(product, sotto__codewords_at_once(half) * sizeof product[0]);
}

/* The k-th largest of n numbers, bit by bit from the top: a bit stays set if at least k numbers are
 * as large. One pass for each of `bits`, the bits that any of the numbers may have. */
static uint32_t kth_largest(const uint32_t *number, uint32_t n, uint32_t k, uint32_t bits)
{
    uint32_t threshold = 0;
    for (int bit = 31; bit >= 0; bit--) {
        if ((bits >> bit & 1) == 0) continue;
        uint32_t candidate = threshold | UINT32_C(1) << bit;
        uint32_t reach = 0;
        for (uint32_t i = 0; i < n; i++) {
            reach += number[i] >= candidate;
        }
        uint32_t keep = reach >= k;
        threshold |= keep << bit;
    }
    return threshold;
}

/* The bits of the lower half of a key: those of a cosine, and those of indices below n. */
static uint32_t bits_of_low(uint32_t n)
{
    uint32_t index = 0;
    while (index < n - 1) {
        index = 2 * index + 1;
    }
    return UINT32_MAX << KEY_COSINE_SHIFT | index;
}

/* A key that exactly k of n different keys reach: its upper half is the k-th largest upper half; its
 * lower half the largest that lets in, of those with this upper half, as many as are missing. All
 * of them may be let in by 0. */
static uint64_t threshold_of(uint32_t n, uint32_t k, sotto__choice_work *work)
{
    if (k == n) return 0;
    uint32_t high = kth_largest(work->key_high, n, k, UINT32_MAX), larger = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t differing = work->key_high[i] ^ high;
        uint32_t tied = (uint32_t)((differing - 1) >> 32); /* all bits, or none */
        larger += work->key_high[i] > high;
        work->tied_low[i] = work->key_low[i] & tied;
    }
    uint32_t low = kth_largest(work->tied_low, n, k - larger, bits_of_low(n));
    return (uint64_t)high << 32 | low;
}

/* The index that is member number `member` of TOP (in_top = 1) or of the rest (0), in index order.
 * Nulls come last: all of them are TOP, or none is. */
static uint32_t find_member(const sotto__choice_work *work, const sotto_codebook *codebook,
                            uint64_t heard, uint64_t threshold, uint64_t in_top, uint64_t member)
{
    uint32_t size = codebook->size, half = size / 2;
    uint64_t seen = 0, found = 0;
    for (uint32_t index = 0; index < size; index++) {
        uint32_t i = index < half ? index : index - half;
        uint64_t opposite = index >= half;
        uint64_t key = (uint64_t)work->key_high[i] << 32 | work->key_low[i];
        uint64_t top = (key >= threshold) & (work->flipped[i] == opposite) & heard;
        uint64_t candidate = top == in_top;
        uint64_t hit = candidate & (seen == member);
        found |= index & (0 - hit);
        seen += candidate;
    }
    uint64_t among_nulls = member >= seen;
    return (uint32_t)(found | ((size + member - seen) & (0 - among_nulls)));
}

uint32_t sotto__choose_codeword(const sotto__choice *choice, const double *v, uint32_t group,
                                const sotto__coins *coins, sotto__choice_work *work)
{
    const sotto_codebook *codebook = choice->codebook;
    aim aimed = aim_at(codebook, v, coins->sign, work->unit);
    rank_codewords(choice, group, work);
    uint64_t threshold = threshold_of(codebook->size / 2, codebook->top, work);

    uint64_t top_weight = codebook->top * codebook->weight_top;
    uint64_t in_top = coins->member < top_weight;
    uint64_t past =
        coins->member - (top_weight & (in_top - 1)); /* TOP's share taken off the rest */
    uint64_t weight =
        codebook->weight_rest + in_top * (codebook->weight_top - codebook->weight_rest);
    uint64_t chosen = find_member(work, codebook, aimed.heard, threshold, in_top, past / weight);
    uint64_t uniform = codebook->nulls > 0 ? 0 : aimed.zero; /* a 0 with nulls is a null */
    return (uint32_t)((chosen & (uniform - 1)) | (coins->uniform & (0 - uniform)));
}
