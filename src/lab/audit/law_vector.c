/*
 * Layer 1 of PrivUnit: y = R B V, V a unit vector. T = <V, v> falls into the cap T >= g with chance
 * p; inside and outside it, I_{(1-T)/2}(a, a), a = (d-1)/2, is uniform on its range.
 */
#include "core/linalg.h"
#include "core/special.h"
#include "lab/math/statistics.h"
#include "law_rows.h"

#include <math.h>
#include <stdlib.h>

#define BINS 64u

typedef struct vector_law {
    sotto__law base; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__claim *claim;
    double *v;  /* dim: the direction of x */
    double cap; /* share of the sphere */
    double norm_error;
    uint64_t count, cap_hits, bin[2][BINS]; /* inside the cap, outside */
    sotto__lag lag;                         /* of being in the cap */
} vector_law;

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__answer *answer)
{
    vector_law *law = (vector_law *)taker;
    const sotto__claim *claim = law->claim;
    double length = claim->radius * claim->privunit.scale, p = claim->privunit.cap_chance;
    double along = sotto__dot(answer->value, law->v, claim->dim) / length;
    bool in_cap = along >= claim->privunit.cap_height;
    law->count = t + 1;
    law->norm_error =
        fmax(law->norm_error, fabs(sotto__norm(answer->value, claim->dim) / length - 1));
    law->cap_hits += in_cap;
    sotto__lag_add(&law->lag, (in_cap - p) / sqrt(p * (1 - p)));
    if (claim->dim == 1) return SOTTO_OK;
    double a = (claim->dim - 1) / 2.0;
    double u = sotto__incomplete_beta((1 - along) / 2, a, a);
    double place = in_cap ? u / law->cap : (u - law->cap) / (1 - law->cap);
    law->bin[!in_cap][(uint32_t)fmin(BINS - 1, fmax(0, place * BINS))]++;
    return SOTTO_OK;
}

static void rows(sotto__law *base, sotto_audit_result *result)
{
    const vector_law *law = (const vector_law *)base;
    double p = law->claim->privunit.cap_chance;
    sotto__law_row(result, "answer in the cap (share)", (double)law->cap_hits / (double)law->count,
                   p, sotto__binomial_p(law->cap_hits, law->count, p));
    if (law->claim->dim > 1) {
        sotto__law_row(result, "component within the cap is uniform", NAN, NAN,
                       sotto__uniform_p(law->bin[0], BINS));
        sotto__law_row(result, "component outside the cap is uniform", NAN, NAN,
                       sotto__uniform_p(law->bin[1], BINS));
    }
    sotto__law_row(result, "length of the answer (relative error)", law->norm_error, 1e-9,
                   law->norm_error <= 1e-9 ? 1 : 0);
    sotto__law_row(result, "correlation with the next report", sotto__lag_correlation(&law->lag), 0,
                   sotto__lag_p(&law->lag));
}

static void release(sotto__law *base)
{
    free(((vector_law *)base)->v);
    free(base);
}

sotto_status sotto__law_vector(const sotto__claim *claim, const double *x, uint64_t trials,
                               sotto__law **out)
{
    (void)trials;
    *out = NULL;
    vector_law *law = calloc(1, sizeof *law);
    if (law == NULL) return SOTTO_E_MEMORY;
    law->base = (sotto__law){.taker = {take}, .rows = rows, .free = release};
    law->claim = claim;
    law->v = malloc(claim->dim * sizeof law->v[0]);
    if (law->v == NULL) {
        release(&law->base);
        return SOTTO_E_MEMORY;
    }
    double norm = sotto__norm(x, claim->dim), a = (claim->dim - 1) / 2.0;
    for (uint32_t i = 0; i < claim->dim; i++) {
        law->v[i] = x[i] / norm;
    }
    if (claim->dim > 1) {
        law->cap = sotto__incomplete_beta((1 - claim->privunit.cap_height) / 2, a, a);
    }
    *out = &law->base;
    return SOTTO_OK;
}
