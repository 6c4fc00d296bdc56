/* The codebook randomiser, slow and obvious. */
#include "twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void twin_expand(const sotto_codebook *codebook, const uint8_t *stream_key, const uint8_t *nonce,
                 double *codeword)
{
    int32_t integers[SOTTO_DIM_MAX];
    for (uint32_t i = 0; i < codebook->size / 2; i++) {
        if (sotto_codebook_expand(codebook, stream_key, nonce, i, 0, integers) != SOTTO_OK) abort();
        for (uint32_t j = 0; j < codebook->dim; j++) {
            codeword[i * codebook->dim + j] = integers[j] * 0x1p-30;
        }
    }
}

void twin_order(const sotto_codebook *codebook, const double *codeword, const double *v,
                bool signed_rank, uint32_t *order)
{
    uint32_t half = codebook->size / 2, dim = codebook->dim;
    double product[SOTTO_CODEBOOK_SIZE_MAX / 2];
    bool taken[SOTTO_CODEBOOK_SIZE_MAX] = {false};
    for (uint32_t i = 0; i < half; i++) {
        product[i] = 0;
        for (uint32_t j = 0; j < dim; j++) {
            product[i] += codeword[i * dim + j] * v[j];
        }
    }
    for (uint32_t k = 0; k < codebook->top; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < half; i++) {
            double value = signed_rank ? product[i] : fabs(product[i]);
            if (taken[i] || taken[i + half]) continue;
            if (best == UINT32_MAX || value > (signed_rank ? product[best] : fabs(product[best]))) {
                best = i;
            }
        }
        uint32_t index = !signed_rank && product[best] < 0 ? best + half : best;
        order[k] = index;
        taken[index] = true;
    }
    uint32_t next = codebook->top;
    for (uint32_t index = 0; index < codebook->size; index++) {
        if (!taken[index]) order[next++] = index;
    }
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t opposite(const sotto_codebook *codebook, uint32_t index)
{
    return (index + codebook->size / 2) % codebook->size;
}

uint32_t twin_choose(const sotto_codebook *codebook, const double *codeword, const double *v,
                     const sotto__coins *coins, twin_fault fault)
{
    uint32_t order[SOTTO_CODEBOOK_SIZE_MAX];
    double unit[SOTTO_DIM_MAX] = {0}, norm = 0;
    for (uint32_t j = 0; j < codebook->dim; j++) {
        norm += v[j] * v[j];
    }
    norm = sqrt(norm);
    if (norm == 0 && fault != TWIN_ZERO_RANKED) return (uint32_t)coins->uniform;
    bool flip = (double)(coins->sign >> 11) * 0x1p-53 < (1 - fmin(1, norm)) / 2;
    if (fault == TWIN_NO_FLIP) flip = false;
    if (fault == TWIN_FLIP_INVERTED) flip = !flip && norm < 1;
    for (uint32_t j = 0; j < codebook->dim; j++) {
        unit[j] = norm == 0 ? 0 : (flip ? -v[j] : v[j]) / norm;
    }
    twin_order(codebook, codeword, unit, fault == TWIN_SIGNED_RANK, order);
    qsort(order, codebook->top, sizeof order[0], by_index); /* the members of TOP by index */

    /* member is uniform in [0, W): share it out to the M places of the order */
    uint64_t top = codebook->weight_top, rest = codebook->weight_rest;
    uint64_t total = codebook->top * top + (codebook->size - codebook->top) * rest;
    uint64_t member = coins->member;
    uint32_t top_count = codebook->top;
    if (fault == TWIN_HEAVY_TOP) {
        top += top / 50;
        uint64_t heavier = codebook->top * top + (codebook->size - codebook->top) * rest;
        member = (uint64_t)((double)member / (double)total * (double)heavier);
    }
    if (fault == TWIN_ONE_TOP_LESS && top_count > 1) {
        memmove(&order[top_count - 1], &order[top_count], (codebook->size - top_count) * 4);
        order[codebook->size - 1] = order[0];
    }
    uint32_t place = member < top_count * top
                         ? (uint32_t)(member / top)
                         : top_count + (uint32_t)((member - top_count * top) / rest);
    if (place >= codebook->size) place = codebook->size - 1;
    if (fault == TWIN_REST_OVERLAPS && place >= top_count) {
        return (uint32_t)(coins->uniform % codebook->size);
    }
    uint32_t index = order[place];
    if (fault == TWIN_WORST_SIGN && place < top_count) index = opposite(codebook, index);
    if (fault == TWIN_BIASED_INDEX && index == codebook->size - 1) index = 0;
    return index;
}
