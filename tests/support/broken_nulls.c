/* A slow, plain version of the choice with nulls, and versions of it with a fault. */
#include "broken_nulls.h"
#include "client/client.h"
#include "core/core.h"
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIM 6u
#define ARMS 3u

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
        if (fault == NULLS_FEWER_BY_SECRET && i > size && !heard) weight = 0;
        if (fault == NULLS_MORE_BY_SECRET && i >= size && !heard) weight *= 2;
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

/* ---- under audit -------------------------------------------------------------------------- */

sotto_terms nulls_terms(nulls_kind kind)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    sotto_terms terms;
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.epsilon = kind == NULLS_TAGS ? 2 : 1;
    spec.parameters = kind == NULLS_SHARED ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
    if (sotto_spec_resolve(&spec, &terms) != SOTTO_OK) abort();
    uint32_t groups = kind == NULLS_TAGS ? ARMS : 1;
    sotto_codebook *codebook = &terms.codebook[SOTTO_PHASE_MAIN];
    *codebook = sotto_codebook_constants(DIM, 20 * groups, groups, spec.epsilon);
    codebook->nulls = codebook->top;
    sotto__terms_name(&terms);
    if (sotto_terms_check(&terms) != SOTTO_OK) abort();
    return terms;
}

typedef struct nulls_subject {
    sotto__subject base; /* must be first: a pointer to it is a pointer to the whole */
    nulls_fault fault;
    sotto_terms terms;
    sotto__door_work work;
    sotto_report *report;
    double codeword[SOTTO_CODEBOOK_SIZE_MAX / 2 * DIM];
    nulls_law law;
} nulls_subject;

/* Uses the client's door itself. Where the door multiplies by the arm's public sign, the score is
 * multiplied by it first, so that x is ranked. */
static sotto_status draw_shipped(nulls_subject *self, const sotto__door *door, double *x,
                                 uint32_t arm, sotto_rng *rng, double *index)
{
    const sotto_terms *terms = &self->terms;
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    int8_t sign[ARMS] = {1, 1, 1};
    bool signs = per_arm && terms->codebook[SOTTO_PHASE_MAIN].groups == 1;
    if (signs) sotto__arm_signs(terms, door->nonce, sign);
    for (uint32_t i = 0; i < DIM; i++) {
        x[i] *= sign[arm];
    }
    sotto_status status = sotto__privatise(door, x, arm, rng, &self->work, self->report);
    *index = self->report->value[0];
    return status;
}

static sotto_status draw_twin(nulls_subject *self, const sotto__door *door, const double *x,
                              uint32_t arm, sotto_rng *rng, double *index)
{
    const sotto_codebook *codebook = &self->terms.codebook[SOTTO_PHASE_MAIN];
    uint64_t sign, member;
    sotto_status status = sotto__draw_u64(rng, &sign);
    if (status != SOTTO_OK) return status;
    twin_expand(codebook, self->terms.stream_key, door->nonce, self->codeword);
    nulls_law_of(codebook, self->codeword, x, codebook->groups == 1 ? 0 : arm, sign, self->fault,
                 &self->law);
    status = sotto__draw_below(rng, self->law.total, &member);
    if (status == SOTTO_OK) *index = nulls_law_owner(codebook, &self->law, member);
    return status;
}

static sotto_status draw(sotto__subject *subject, const double *x, sotto_rng *rng,
                         sotto__subject_answer *out)
{
    nulls_subject *self = (nulls_subject *)subject;
    sotto__door door = {.terms = &self->terms, .phase = SOTTO_PHASE_MAIN};
    double clipped[DIM];
    sotto__clip_vector(x, DIM, 1, clipped);
    uint32_t arm = sotto__largest(clipped, ARMS);
    sotto_status status = rng->fill(rng, door.nonce, sizeof door.nonce);
    if (status != SOTTO_OK) return status;
    memcpy(out->nonce, door.nonce, sizeof door.nonce);
    out->count = 1;
    return self->fault == NULLS_NONE ? draw_shipped(self, &door, clipped, arm, rng, out->value)
                                     : draw_twin(self, &door, clipped, arm, rng, out->value);
}

sotto_status nulls_audit(nulls_kind kind, nulls_fault fault, uint64_t trials, uint64_t seed,
                         sotto_audit_result *result)
{
    sotto_mechanism_settings mechanism =
        sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, DIM, kind == NULLS_TAGS ? 2 : 1);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = trials;
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    nulls_subject *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->fault = fault;
    self->terms = nulls_terms(kind);
    sotto_status status = sotto__subject_new(&settings, &self->base);
    if (status == SOTTO_OK) status = sotto__door_work_new(&self->terms, &self->work);
    if (status == SOTTO_OK) status = sotto_report_new(&self->terms, &self->report);
    if (status == SOTTO_OK) {
        sotto__privacy_claim *claim = &self->base.claim;
        self->base.draw = draw;
        claim->codebook = self->terms.codebook[SOTTO_PHASE_MAIN];
        memcpy(claim->stream_key, self->terms.stream_key, sizeof claim->stream_key);
        status = sotto__audit_subject(&settings, &self->base, &random.rng, NULL, result);
    }
    sotto_report_free(self->report);
    sotto__door_work_free(&self->work);
    sotto__subject_free(&self->base);
    free(self);
    return status;
}
