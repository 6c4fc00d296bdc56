/*
 * One arm for all: which arm is best, by rewards that say nothing of a context.
 *
 * n_k reports were assigned to arm k, and each is +1 or -1 with mean y/B, y the reward on the scale -1 to 1;
 * s_k is their sum. With the prior N(0, 1), value_k ~ N(m_k, v_k):
 *
 *     1/v_k = 1 + n_k/B^2,   m_k = v_k s_k/B
 *
 * The next model gives arm k to the part p_k = P(value_k is the largest) of people (probability matching). That
 * needs no constant, and no epoch or delay makes it swing: p_k depends on the sums alone, not on the model that
 * the reports came under. Under drift n_k and s_k are multiplied by max(0, 1 - n/W) before the n reports of an
 * epoch are added.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>

typedef struct best_arm {
    sotto__estimator base;
    sotto__best_chance *best;
    double *count, *sum;        /* n_k, s_k */
    double *mean, *sd, *chance; /* scratch */
    double memory[];            /* all doubles above */
} best_arm;

static void remember(best_arm *self, const sotto__batch *batch)
{
    const sotto_spec *spec = &self->base.terms->spec;
    double window = (double)spec->window_reports;
    double kept = window > 0 ? fmax(0, 1 - (double)batch->count / window) : 1;
    for (uint32_t k = 0; k < spec->arms; k++) {
        self->count[k] = kept * self->count[k] + (double)batch->arm_count[k];
        self->sum[k] = kept * self->sum[k] + batch->sum[k];
    }
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    best_arm *self = (best_arm *)base;
    uint32_t arms = base->terms->spec.arms;
    double scale = base->terms->codebook[SOTTO_PHASE_MAIN].scale;
    remember(self, batch);
    for (uint32_t k = 0; k < arms; k++) {
        double variance = 1 / (1 + self->count[k] / (scale * scale));
        self->mean[k] = variance * self->sum[k] / scale;
        self->sd[k] = sqrt(variance);
    }
    sotto__best_chances(self->best, self->mean, self->sd, self->chance);
    sotto__shares_set(self->chance, arms, model->shares);
}

static uint32_t kept(sotto__estimator *base, sotto__kept out[SOTTO__KEPT_MAX])
{
    best_arm *self = (best_arm *)base;
    size_t arms = base->terms->spec.arms;
    out[0] = (sotto__kept){.number = self->count, .count = arms, .least = 0, .most = 0x1p53};
    out[1] = (sotto__kept){.number = self->sum, .count = arms, .least = -0x1p53, .most = 0x1p53};
    return 2;
}

static void release(sotto__estimator *base)
{
    sotto__best_chance_free(((best_arm *)base)->best);
    free(base);
}

sotto_status sotto__best_arm_new(const sotto_terms *terms, const sotto_learning *learning,
                                 sotto__estimator **out)
{
    size_t arms = terms->spec.arms;
    best_arm *self = calloc(1, sizeof *self + 5 * arms * sizeof self->memory[0]);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->base = (sotto__estimator){
        .terms = terms, .learning = learning, .absorb = absorb, .kept = kept, .free = release};
    self->count = self->memory;
    self->sum = self->count + arms;
    self->mean = self->sum + arms;
    self->sd = self->mean + arms;
    self->chance = self->sd + arms;
    sotto_status status = sotto__best_chance_new(terms->spec.arms, &self->best);
    if (status != SOTTO_OK) {
        free(self);
        return status;
    }
    *out = &self->base;
    return SOTTO_OK;
}
