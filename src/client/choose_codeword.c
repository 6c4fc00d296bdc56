/*
 * The codebook randomiser (docs/privacy.md, section 2).
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
 * choose_ranked.c chooses, once codewords are ranked. Conditions on secrets are arithmetic, not
 * branches.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <math.h>

/* A key orders codewords: own group first, then |cosine| in 2^-46ths, then the lower index. Its
 * halves are stored apart, because the selection goes through one half after the other. */
#define KEY_GROUP_BIT 63
#define KEY_COSINE_SHIFT 16
#define KEY_COSINE_ONE 0x1p46

static_assert(SOTTO_CODEBOOK_SIZE_MAX / 2 <= 1 << KEY_COSINE_SHIFT, "an index fits below a cosine");

/* The direction of v. Without nulls its sign is flipped with probability (1 - ||v||)/2, so that its
 * mean is v; with nulls it is heard with probability ||v||. Chances are in the 53 bits that a double
 * holds. */
static sotto__hearing aim_at(const sotto_codebook *codebook, const double *v, uint64_t coin,
                             double *out)
{
    double norm = sqrt(sotto__dot(v, v, codebook->dim));
    uint64_t zero = sotto__bit(norm < 1e-140), nulls = codebook->nulls > 0;
    double length = sotto__at_most(norm, 1), chance = (double)(coin >> 11) * 0x1p-53;
    uint64_t flip = sotto__bit(chance < (1 - length) / 2) & (1 - nulls);
    uint64_t heard = (sotto__bit(chance < length) & (1 - zero)) | (1 - nulls);
    /* Converts by signed integers, here and below: for unsigned ones some processors need a branch. */
    double factor = (1 - 2.0 * (double)(int64_t)flip) / (norm + (double)(int64_t)zero);
    for (uint32_t j = 0; j < codebook->dim; j++) {
        out[j] = v[j] * factor;
    }
    return (sotto__hearing){zero, heard};
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

uint32_t sotto__choose_codeword(const sotto__choice *choice, const double *v, uint32_t group,
                                const sotto__coins *coins, sotto__choice_work *work)
{
    sotto__hearing aim = aim_at(choice->codebook, v, coins->sign, work->unit);
    rank_codewords(choice, group, work);
    return sotto__choose_ranked(choice->codebook, &aim, coins, work);
}
