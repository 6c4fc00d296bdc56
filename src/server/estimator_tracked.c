/*
 * Sotto's tracked estimator: each row of theta with a variance P for every coordinate, as a Kalman
 * filter would have it. At first theta = 0, P = D^2/d. For a report, z its unit codeword:
 *
 *                1/P +=                     theta -=
 *   shared       (h S)^2/(d B^2)            (P h S/B) z
 *   warm-up      S^2/(d B^2)                (P S/B) z          the assigned arm
 *   signs        (h S)^2/(K^2 d B^2)        s_k (P h S/(K B)) z    every arm k
 *   tags         (h S)^2/(K d B^2)          (P h S/B) z        1/P of every arm, theta of the tag's
 *
 * with S from the P before the report, the step from the P after it, and theta projected to D. h is
 * the part of the slope S that is left where contexts are those of a chosen arm. The fold has
 * multiplied in the signs and sorted by tags.
 *
 * An epoch is one step: P and S run report by report (precision.c), and the last of each meet the sum. Under
 * drift 1/P is never more than d/D^2 + W times what a report adds to it.
 */
#include "estimator_rows.h"
#include "precision.h"

#include <float.h>
#include <stdlib.h>

#define CHOSEN_SLOPE 0.7 /* h, by measurement */

typedef struct tracked {
    sotto__estimator base; /* first, so that a pointer to it is a pointer to the whole */
    double precision[];    /* 1/P: one, or one per arm */
} tracked;

/* What a report does, apart from S and P: 1/P += information S^2, theta -= gain P S z. */
typedef struct effect {
    double information;
    double gain;
} effect;

static effect effect_of(const sotto_terms *terms, sotto_phase phase)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    bool tags = codebook->groups > 1;
    double gain = 1 / codebook->scale;
    if (phase == SOTTO_PHASE_MAIN) gain *= CHOSEN_SLOPE;
    if (phase == SOTTO_PHASE_MAIN && !shared && !tags) gain /= spec->arms;
    double share = tags ? 1.0 / spec->arms : 1; /* of reports that carry an arm's tag */
    return (effect){.information = share * gain * gain / spec->dim, .gain = gain};
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    tracked *self = (tracked *)base;
    const sotto_spec *spec = &base->terms->spec;
    effect each = effect_of(base->terms, batch->phase);
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    for (uint32_t k = 0; k < rows; k++) {
        bool assigned = batch->phase == SOTTO_PHASE_WARM_UP;
        uint64_t reports = assigned ? batch->arm_count[k] : batch->count;
        double slope = sotto__run_precision(spec, each.information, reports, &self->precision[k]);
        double *theta = model->theta + (size_t)k * spec->dim;
        sotto__descend(theta, batch->sum + (size_t)k * spec->dim,
                       each.gain * slope / self->precision[k], spec->dim);
        sotto__project(theta, spec->dim, spec->theta_norm_max);
    }
}

static uint32_t kept(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    const sotto_spec *spec = &base->terms->spec;
    size_t rows = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    double least = sotto__first_precision(spec) / 2; /* reports add to the first, to rounding */
    kept[0] = (sotto__kept){((tracked *)base)->precision, NULL, rows, least, DBL_MAX};
    return 1;
}

static void release(sotto__estimator *base)
{
    free(base);
}

sotto_status sotto__tracked_new(const sotto_terms *terms, const sotto_learning *learning,
                                sotto__estimator **out)
{
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    size_t rows = per_arm ? terms->spec.arms : 1;
    tracked *self = calloc(1, sizeof *self + rows * sizeof self->precision[0]);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->base = (sotto__estimator){
        .terms = terms,
        .learning = learning,
        .absorb = absorb,
        .kept = kept,
        .free = release,
    };
    for (size_t k = 0; k < rows; k++) {
        self->precision[k] = sotto__first_precision(&terms->spec);
    }
    *out = &self->base;
    return SOTTO_OK;
}
