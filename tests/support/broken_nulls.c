/* The choice with nulls, slow and obvious, and with faults. */
#include "broken_nulls.h"

#include <math.h>
#include <string.h>

static double product(const double *x, const double *y, uint32_t dim)
{
    double sum = 0;
    for (uint32_t j = 0; j < dim; j++) {
        sum += x[j] * y[j];
    }
    return sum;
}

static bool is_heard(const sotto_codebook *codebook, const double *v, uint64_t sign,
                     nulls_fault fault)
{
    double norm = sqrt(product(v, v, codebook->dim));
    if (fault == NULLS_BY_SIGN) return v[0] > 0;
    if (norm < 1e-140) return false;
    return fault == NULLS_ALL_HEARD || (double)(sign >> 11) * 0x1p-53 < norm;
}

/* The k codewords of the group with the largest |<z, v>|, the lower index first. */
static void find_nearest(const sotto_codebook *codebook, const double *codeword, const double *v,
                         uint32_t group, bool *heavy)
{
    uint32_t half = codebook->size / 2, dim = codebook->dim;
    for (uint32_t taken = 0; taken < codebook->top; taken++) {
        uint32_t best = UINT32_MAX;
        double most = -1;
        for (uint32_t i = group; i < half; i += codebook->groups) {
            double size = fabs(product(codeword + (size_t)i * dim, v, dim));
            if (heavy[i] || heavy[i + half] || size <= most) continue;
            best = i;
            most = size;
        }
        bool opposite = product(codeword + (size_t)best * dim, v, dim) < 0;
        heavy[opposite ? best + half : best] = true;
    }
}

void nulls_law_of(const sotto_codebook *codebook, const double *codeword, const double *v,
                  uint32_t group, uint64_t sign, nulls_fault fault, nulls_law *law)
{
    uint32_t size = codebook->size, indices = size + codebook->nulls;
    uint64_t top = codebook->weight_top, rest = codebook->weight_rest;
    bool heard = is_heard(codebook, v, sign, fault);
    memset(law->heavy, 0, sizeof law->heavy);
    if (heard) {
        double norm = sqrt(product(v, v, codebook->dim)), unit[SOTTO_DIM_MAX];
        for (uint32_t j = 0; j < codebook->dim; j++) {
            unit[j] = v[j] / norm;
        }
        find_nearest(codebook, codeword, unit, group, law->heavy);
    }
    for (uint32_t i = size; i < indices && !heard; i++) {
        law->heavy[i] = true;
    }
    law->total = 0;
    for (uint32_t i = 0; i < indices; i++) {
        uint64_t weight = law->heavy[i] ? top : rest;
        if (fault == NULLS_ONE_UNIT_MORE && i == size) weight++;
        if (fault == NULLS_HEAVY && i >= size && !heard) weight += top / 5;
        if (fault == NULLS_COUNT_BY_SECRET && i > size && !heard) weight = 0;
        law->weight[i] = weight;
        law->total += weight;
    }
}

uint32_t nulls_law_owner(const sotto_codebook *codebook, const nulls_law *law, uint64_t member)
{
    uint32_t indices = codebook->size + codebook->nulls;
    for (int heavy = 1; heavy >= 0; heavy--) {
        for (uint32_t i = 0; i < indices; i++) {
            if (law->heavy[i] != heavy) continue;
            if (member < law->weight[i]) return i;
            member -= law->weight[i];
        }
    }
    return UINT32_MAX; /* member is not below total */
}
