/*
 * LDP-GLOC (Zheng et al. 2020): an online gradient, and least squares on its predictions.
 *
 *   theta_h -= (1/sqrt T) sum of e x, projected to D
 *   theta    = (sum M + c_t I)^-1 sum M theta_h, each M with the theta_h its report was scored by
 *
 * All gradients of an epoch are taken at one theta_h. n of them make a stable step while
 * n L/sqrt T < 2, L <= 1 for contexts and slopes of at most 1; so the step of an epoch of more than
 * sqrt T reports, four times what the rule of schedule.c allows, is shortened to that of sqrt T.
 *
 * Per-arm parameters have one block and one row of theta_h per arm: the outer product of x (x) e_a
 * is 0 outside of the arm's block.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A link that is flat within C_B D would make the width infinite, which no model may have. With
 * this width nothing else matters in a decision. */
#define WIDTH_MAX 1e150

typedef struct gloc {
    sotto__estimator base; /* first, so that a pointer to it is a pointer to the whole */
    sotto__shifted shifted;
    double numbers[];
} gloc;

/* out += M theta, M given by its svec. */
static void add_product(const sotto_spec *spec, const double *svec, const double *theta,
                        double *out)
{
    double off_diagonal = sotto__off_diagonal(spec);
    for (uint32_t i = 0; i < spec->dim; i++) {
        const double *row = svec + sotto__tri_count(i);
        double weight = off_diagonal * theta[i]; /* of the entries that mirror this row */
        out[i] += off_diagonal * sotto__dot(row, theta, i) + row[i] * theta[i];
        for (uint32_t j = 0; j < i; j++) {
            out[j] += weight * row[j];
        }
    }
}

void sotto__gloc_predicted(const sotto_terms *terms, const double *sum, const double *theta_h,
                           double *out)
{
    const sotto_spec *spec = &terms->spec;
    uint32_t stride = sotto__statistic_dim(spec), parameters = sotto__parameter_count(spec);
    for (uint32_t at = 0; at < parameters; at += spec->dim, sum += stride) {
        add_product(spec, sum, theta_h + at, out + at);
    }
}

/* beta_t = sqrt((sigma/zeta) sqrt(d t)), zeta the smallest slope of the link within C_B D. */
static double confidence_width(const gloc *self)
{
    const sotto_spec *spec = &self->base.terms->spec;
    double zeta = sotto__link_slope_min(spec->link, spec->context_norm_max * spec->theta_norm_max);
    double spread = sqrt(spec->dim * self->shifted.all);
    return fmin(WIDTH_MAX, sqrt(self->base.noise.matrix / zeta * spread));
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    gloc *self = (gloc *)base;
    const sotto_spec *spec = &base->terms->spec;
    const sotto_learning *learning = base->learning;
    assert(batch->predicted != NULL);
    uint64_t t = model->reports + batch->count;
    double horizon = sotto__horizon(learning, t);
    double step = 1 / (sqrt(horizon) * sotto__method_of(spec)->moment_weight);
    step *= fmin(1, sqrt(horizon) / (double)batch->count);

    sotto__shifted_add(&self->shifted, batch, 1);
    for (uint32_t b = 0; b < self->shifted.blocks; b++) {
        size_t row = (size_t)b * spec->dim;
        for (uint32_t i = 0; i < spec->dim; i++) {
            self->shifted.cross[row + i] += batch->predicted[row + i];
        }
        sotto__descend(model->theta_h + row, sotto__vector_part(spec, batch->sum, b), step,
                       spec->dim);
        sotto__project(model->theta_h + row, spec->dim, spec->theta_norm_max);
    }
    double upsilon = sotto__upsilon(&self->shifted, base->noise.matrix, horizon / learning->alpha);
    double shift = learning->shift_scale * 2 * upsilon;
    base->repairs += sotto__shifted_solve(&self->shifted, shift, 1, model);
    model->beta = confidence_width(self);
}

static uint32_t kept(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    return sotto__shifted_kept(&((gloc *)base)->shifted, kept);
}

static void release(sotto__estimator *base)
{
    free(base);
}

sotto_status sotto__gloc_new(const sotto_terms *terms, const sotto_learning *learning,
                             sotto__estimator **out)
{
    size_t bytes = sotto__shifted_doubles(&terms->spec) * sizeof(double);
    gloc *self = calloc(1, sizeof *self + bytes);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->base = (sotto__estimator){
        .terms = terms,
        .learning = learning,
        .noise = sotto__noise_level_of(terms),
        .absorb = absorb,
        .kept = kept,
        .free = release,
    };
    sotto__shifted_begin(&self->shifted, &terms->spec, self->numbers);
    *out = &self->base;
    return SOTTO_OK;
}
