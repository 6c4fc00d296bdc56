/*
 * Sotto's averaged estimator, for shared parameters. For report t, z its unit codeword:
 *
 *   theta -= (c D/sqrt(t + 1)) z, projected to D
 *   tbar  += (4/(t + 3)) (theta - tbar)
 *
 * theta, with long steps, finds the optimum and stays around it; tbar, its average with weights
 * that grow like t^3, decides. Under drift min(t, W) stands for t. An epoch is one step: the mean
 * of its reports' steps times the sum of their codewords, and one average whose weight
 * 1 - prod(1 - w) is that of all its reports.
 */
#include "estimator_rows.h"

#include <math.h>
#include <stdlib.h>

/* c, by measurement. */
static double step_scale(const sotto_spec *spec)
{
    bool linear = spec->score == SOTTO_SCORE_SELF && spec->link == SOTTO_LINK_IDENTITY;
    return linear ? 1 : 0.5;
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    const sotto_spec *spec = &base->terms->spec;
    double steps = 0, kept = 1; /* sum of 1/sqrt(t + 1), and prod(1 - w) */
    for (uint64_t u = 1; u <= batch->count; u++) {
        double t = sotto__remembered(spec, (double)(model->reports + u));
        steps += 1 / sqrt(t + 1);
        kept *= 1 - 4 / (t + 3);
    }
    double step = step_scale(spec) * spec->theta_norm_max * steps / (double)batch->count;
    sotto__descend(model->theta, batch->sum, step, spec->dim);
    sotto__project(model->theta, spec->dim, spec->theta_norm_max);
    for (uint32_t i = 0; i < spec->dim; i++) {
        model->tbar[i] += (1 - kept) * (model->theta[i] - model->tbar[i]);
    }
}

static void release(sotto__estimator *base)
{
    free(base);
}

sotto_status sotto__averaged_new(const sotto_terms *terms, const sotto_learning *learning,
                                 sotto__estimator **out)
{
    sotto__estimator *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    *self = (sotto__estimator){
        .terms = terms,
        .learning = learning,
        .absorb = absorb,
        .free = release,
    };
    *out = self;
    return SOTTO_OK;
}
