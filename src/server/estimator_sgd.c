/*
 * Stochastic gradient descent of the paper (ldp-sgd): theta -= eta z, with z = R B times the
 * report's codeword, an unbiased gradient, R = 2 c_r C_B.
 *
 *   eta = eta0/f(s), f(s) = s or sqrt s
 *   shared              s = t
 *   per-arm, warm-up    s = how many reports were assigned to this arm
 *   per-arm, after it   s = (t - (K-1) s_0)/K, s_0 the warm-up of one arm (Theorem 4.1): every
 *                       report says something of every arm
 *
 * All reports of an epoch are scored by one theta, so they make one step: the mean of their eta
 * times the sum of their gradients.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct sgd {
    sotto__estimator base; /* first, so that a pointer to it is a pointer to the whole */
    uint64_t assigned[];   /* warm-up reports of each arm; none for shared */
} sgd;

/* The sum of 1/f(s) over s = first, first + stride, ..., count of them, one by one. Under drift K s,
 * the number of all reports, stops at the window. */
static double sum_one_by_one(const sotto__estimator *base, double first, double stride,
                             uint64_t count)
{
    const sotto_spec *spec = &base->terms->spec;
    double arms = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    double sum = 0;
    for (uint64_t u = 0; u < count; u++) {
        double s = fmax(first + stride * (double)u, 1 / arms);
        s = sotto__remembered(spec, arms * s) / arms;
        sum += 1 / (base->learning->step == SOTTO_STEP_SQRT ? sqrt(s) : s);
    }
    return sum;
}

static double sum_at_once(const sotto__estimator *base, double first, double stride, uint64_t count)
{
    const sotto_spec *spec = &base->terms->spec;
    double arms = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    double window = (double)spec->window_reports;
    sotto__step_times times = {
        .first = first,
        .stride = stride,
        .count = count,
        .lo = 1 / arms,
        .hi = spec->window_reports > 0 ? window / arms : INFINITY,
    };
    return sotto__step_sum(base->learning->step, &times);
}

/* The mean of eta0/f(s). */
static double mean_step(const sotto__estimator *base, double first, double stride, uint64_t count)
{
    bool few = count <= SOTTO__LOOP_REPORTS_MAX;
    double sum =
        few ? sum_one_by_one(base, first, stride, count) : sum_at_once(base, first, stride, count);
    return base->learning->eta0 * sum / (double)count;
}

static double shared_step(const sgd *self, const sotto__batch *batch, uint64_t t_before)
{
    return mean_step(&self->base, (double)t_before + 1, 1, batch->count);
}

static double main_step(const sgd *self, const sotto__batch *batch, uint64_t t_before)
{
    double arms = self->base.terms->spec.arms;
    double warm_up = (double)self->base.learning->warm_up / arms; /* s_0 */
    double first = ((double)t_before + 1 - (arms - 1) * warm_up) / arms;
    return mean_step(&self->base, first, 1 / arms, batch->count);
}

static double assigned_step(sgd *self, const sotto__batch *batch, uint32_t arm)
{
    uint64_t count = batch->arm_count[arm];
    if (count == 0) return 0;
    double step = mean_step(&self->base, (double)self->assigned[arm] + 1, 1, count);
    self->assigned[arm] += count;
    return step;
}

/* Warm-up: each arm has its own reports and its own step. */
static void descend_assigned(sgd *self, const sotto__batch *batch, double unit, double *theta)
{
    const sotto_spec *spec = &self->base.terms->spec;
    for (uint32_t k = 0; k < spec->arms; k++) {
        size_t row = (size_t)k * spec->dim;
        double step = assigned_step(self, batch, k);
        sotto__descend(theta + row, batch->sum + row, unit * step, spec->dim);
    }
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    sgd *self = (sgd *)base;
    const sotto_spec *spec = &base->terms->spec;
    double reward_max = sotto__reward_bound(spec);
    double radius = 2 * reward_max * spec->context_norm_max; /* R */
    double unit = radius * base->terms->codebook[batch->phase].scale;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    bool warm_up = batch->phase == SOTTO_PHASE_WARM_UP;
    uint32_t rows = shared ? 1 : spec->arms;
    if (warm_up) {
        descend_assigned(self, batch, unit, model->theta);
    } else {
        double step = (shared ? shared_step : main_step)(self, batch, model->reports);
        sotto__descend(model->theta, batch->sum, unit * step, rows * spec->dim);
    }
    if (!base->learning->project) return;
    for (uint32_t k = 0; k < rows; k++) {
        sotto__project(model->theta + (size_t)k * spec->dim, spec->dim, spec->theta_norm_max);
    }
}

/* An arm's average of s_0 gradients, each with noise of length about sqrt(d) B, is off by
 * sqrt(d) B/sqrt(s_0). */
static double predict_error(const sotto__estimator *base)
{
    const sotto_terms *terms = base->terms;
    double length = sqrt(terms->spec.dim) * terms->codebook[SOTTO_PHASE_WARM_UP].scale;
    double warm_up = fmax(1, (double)base->learning->warm_up / terms->spec.arms);
    return fmin(terms->spec.theta_norm_max, length / sqrt(warm_up));
}

static uint32_t kept(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    bool per_arm = base->terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    size_t arms = per_arm ? base->terms->spec.arms : 0;
    kept[0] = (sotto__kept){.reports = ((sgd *)base)->assigned, .count = arms};
    return 1;
}

static void release(sotto__estimator *base)
{
    free(base);
}

sotto_status sotto__sgd_new(const sotto_terms *terms, const sotto_learning *learning,
                            sotto__estimator **out)
{
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    size_t arms = per_arm ? terms->spec.arms : 0;
    sgd *self = calloc(1, sizeof *self + arms * sizeof self->assigned[0]);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->base = (sotto__estimator){
        .terms = terms,
        .learning = learning,
        .absorb = absorb,
        .predict_error = per_arm ? predict_error : NULL,
        .kept = kept,
        .free = release,
    };
    *out = &self->base;
    return SOTTO_OK;
}
