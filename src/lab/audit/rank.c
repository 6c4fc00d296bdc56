/* Order of a codebook: by |<z_i, v>| in 2^-46ths, then by index (docs/privacy.md, section 2). */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>

sotto_status sotto__ranking_new(const sotto__privacy_claim *claim, sotto__ranking *out)
{
    uint32_t dim = claim->dim;
    *out = (sotto__ranking){
        .claim = claim,
        .unit = calloc(2 * (size_t)dim, sizeof(double)),
        .normal = calloc(dim, sizeof(int32_t)),
        .cosine = calloc(claim->codebook.size, sizeof(double)),
    };
    if (out->unit != NULL && out->normal != NULL && out->cosine != NULL) return SOTTO_OK;
    sotto__ranking_free(out);
    return SOTTO_E_MEMORY;
}

void sotto__ranking_free(sotto__ranking *ranking)
{
    free(ranking->unit);
    free(ranking->normal);
    free(ranking->cosine);
    *ranking = (sotto__ranking){.claim = NULL};
}

double sotto__ranking_direct(sotto__ranking *ranking, uint32_t which, const double *x)
{
    uint32_t dim = ranking->claim->dim;
    double *unit = ranking->unit + (size_t)which * dim;
    sotto__clip_vector(x, dim, ranking->claim->radius, unit);
    double norm = sotto__norm(unit, dim);
    uint32_t groups = ranking->claim->codebook.groups;
    ranking->arm[which] = sotto__largest(unit, groups < dim ? groups : dim);
    for (uint32_t j = 0; j < dim && norm > 0; j++) {
        unit[j] /= norm;
    }
    return norm / ranking->claim->radius;
}

void sotto__ranking_expand(sotto__ranking *ranking, const uint8_t *nonce, uint32_t directions)
{
    uint32_t dim = ranking->claim->dim, half = ranking->claim->codebook.size / 2;
    for (uint32_t i = 0; i < half; i++) {
        sotto__block_at at = {ranking->claim->stream_key, nonce, SOTTO__STREAM_CODEBOOK, i, 0};
        double norm = sqrt(sotto__codeword_normals(&at, dim, ranking->normal));
        for (uint32_t which = 0; which < directions; which++) {
            const double *unit = ranking->unit + (size_t)which * dim;
            double product = 0;
            for (uint32_t j = 0; j < dim; j++) {
                product += ranking->normal[j] * unit[j];
            }
            ranking->cosine[which * half + i] = product / norm;
        }
    }
}

static double size_of(double cosine)
{
    return floor(fmin(1, fabs(cosine)) * 0x1p46);
}

uint32_t sotto__ranking_of(const sotto__ranking *ranking, uint32_t which, uint32_t index,
                           bool *better)
{
    uint32_t half = ranking->claim->codebook.size / 2, own = index % half;
    uint32_t groups = ranking->claim->codebook.groups, arm = ranking->arm[which];
    const double *cosine = ranking->cosine + (size_t)which * half;
    double size = size_of(cosine[own]);
    uint32_t nearer = 0;
    *better = (cosine[own] < 0) == (index >= half);
    if (own % groups != arm) return half;
    for (uint32_t i = arm; i < half; i += groups) {
        double other = size_of(cosine[i]);
        nearer += other > size || (other == size && i < own);
    }
    return nearer;
}
