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
 * Where codebooks have nulls, a report is not null with chance qhat, and both columns are divided by
 * it. Null reports add to 1/P as others do, and have z = 0. With q of the terms, the chance for
 * scores of the size that the codebook was made for, and of n reports so far m not null:
 *
 *   qhat = min(q, (m + 20 q)/(n + 20))
 *
 * for each phase, over all arms, the epoch's own reports included. Without nulls it is 1.
 *
 * An epoch is one step: P and S run report by report (precision.c), and the last of each meet the sum. Under
 * drift 1/P is never more than d/D^2 + W times what a report adds to it.
 *
 * Per-arm scores `self` are for real data: P = prior_variance at first, 1/P grows more slowly
 * (estimator_least_squares.c), and under the identity link theta is projected to 10 R/C_B, R = hi - lo, instead
 * of D, which nobody knows. There prior and slope are those of contexts x/C_B, so that the step is
 * divided by C_B.
 *
 * Reports in flight: the step is P times a sum that was scored by older models. While N = sum of 1 + l reports
 * were on their way (l: epochs that a report is late), theta goes on from what it was then, and a P that has
 * not yet fallen by what they say overshoots the truth (research/epochs.md, "Where the bound comes from"). So
 * the step of n reports has 1/P at least kappa N/n times what they add to it, kappa = 2 in warm-up and 4 after
 * it. P itself runs as before. Without late reports 1/P has grown by as much as they add, and nothing is done; but for `self` on
 * real data, whose 1/P grows by less: there kappa is 2 without late reports.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define GUESSED_REPORTS 20 /* so many is q worth */

/* In each phase with nulls: the number of null reports and of the others. */
enum { NULL_WARM_UP, NULL_MAIN, HEARD_WARM_UP, HEARD_MAIN, COUNTS };
static_assert((int)SOTTO_PHASE_WARM_UP == NULL_WARM_UP && (int)SOTTO_PHASE_MAIN == NULL_MAIN,
              "counts go by phase");

typedef struct tracked {
    sotto__estimator base; /* first, so that a pointer to it is a pointer to the whole */
    uint64_t count[COUNTS];
    double precision[]; /* 1/P: one, or one per arm */
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
    if (phase == SOTTO_PHASE_MAIN) gain *= SOTTO__CHOSEN_SLOPE;
    if (phase == SOTTO_PHASE_MAIN && !shared && !tags) gain /= spec->arms;
    double share = tags ? 1.0 / spec->arms : 1; /* of reports that carry an arm's tag */
    return (effect){.information = share * gain * gain / spec->dim, .gain = gain};
}

static bool is_free_of_bound(const sotto_spec *spec)
{
    return sotto__for_real_data(spec) && spec->link == SOTTO_LINK_IDENTITY;
}

/* The bound on the length of a row of theta. */
static double reach(const sotto_spec *spec)
{
    double range = spec->reward_hi - spec->reward_lo;
    return is_free_of_bound(spec) ? 10 * range / spec->context_norm_max : spec->theta_norm_max;
}

/* Takes in a batch; returns qhat. */
static double count_heard(tracked *self, const sotto__batch *batch)
{
    const sotto_terms *terms = self->base.terms;
    const sotto_codebook *codebook = &terms->codebook[batch->phase];
    if (codebook->nulls == 0) return 1;
    uint64_t heard = self->count[HEARD_WARM_UP + batch->phase] += batch->heard;
    uint64_t n = heard + (self->count[NULL_WARM_UP + batch->phase] += batch->count - batch->heard);
    double size = sotto__score_size(&terms->spec, batch->phase);
    double q = sotto__codebook_heard(codebook, terms->spec.epsilon, size);
    return fmin(q, ((double)heard + GUESSED_REPORTS * q) / ((double)n + GUESSED_REPORTS));
}

/* kappa: the least precision of a step is kappa times what the reports in flight add. */
static double caution(const sotto__batch *batch)
{
    return batch->phase == SOTTO_PHASE_MAIN && batch->late > 0 ? 4 : 2;
}

/* 1/P of the step of a row: no less than kappa N/n times what its reports add to a 1/P of 0. */
static double step_precision(const tracked *self, const sotto__batch *batch, uint32_t row,
                             double added)
{
    const sotto_spec *spec = &self->base.terms->spec;
    if (batch->late == 0 && !sotto__for_real_data(spec)) return self->precision[row];
    double delay = sotto__in_flight(batch) / (double)batch->count;
    return fmax(self->precision[row], caution(batch) * delay * added);
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    tracked *self = (tracked *)base;
    const sotto_spec *spec = &base->terms->spec;
    effect each = effect_of(base->terms, batch->phase);
    double heard = count_heard(self, batch);
    if (is_free_of_bound(spec)) each.gain /= spec->context_norm_max;
    double first = sotto__first_precision(spec, base->learning);
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    for (uint32_t k = 0; k < rows; k++) {
        bool assigned = batch->phase == SOTTO_PHASE_WARM_UP;
        uint64_t reports = assigned ? batch->arm_count[k] : batch->count;
        double slope = sotto__run_precision(spec, first, each.information / heard, reports,
                                            &self->precision[k]);
        double added = (double)reports * each.information / heard * slope * slope;
        double precision = step_precision(self, batch, k, added);
        double *theta = model->theta + (size_t)k * spec->dim;
        sotto__descend(theta, batch->sum + (size_t)k * spec->dim,
                       each.gain * slope / precision / heard, spec->dim);
        sotto__project(theta, spec->dim, reach(spec));
    }
}

static bool has_nulls(const sotto_terms *terms)
{
    return terms->codebook[SOTTO_PHASE_WARM_UP].nulls > 0 ||
           terms->codebook[SOTTO_PHASE_MAIN].nulls > 0;
}

static uint32_t kept(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    const sotto_spec *spec = &base->terms->spec;
    size_t rows = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    double least = sotto__first_precision(spec, base->learning) /
                   2; /* reports add to the first, to rounding */
    kept[0] = (sotto__kept){((tracked *)base)->precision, NULL, rows, least, DBL_MAX};
    kept[1] = (sotto__kept){.reports = ((tracked *)base)->count, .count = COUNTS};
    return has_nulls(base->terms) ? 2 : 1;
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
        self->precision[k] = sotto__first_precision(&terms->spec, learning);
    }
    *out = &self->base;
    return SOTTO_OK;
}
