/*
 * Sotto's averaged estimator, for shared parameters. For report t, z its unit codeword:
 *
 *   theta -= (c D/sqrt(t + o)) z, projected to D,     o = 1 + 0.4 d (B^2 - 1)
 *   tbar  += min(1, 4/(t + 3)) (theta - tbar)
 *
 * theta takes long steps and stays near the optimum; tbar, its average with weights that grow like t^3,
 * decides. The offset o is about the number of reports that the noise of the first ones takes to average
 * out: without it theta runs to the border of its ball and back. Under drift min(t, W) stands for t. An
 * epoch is one step: the mean of its reports' steps times the sum of their codewords, and one average
 * whose weight 1 - prod(1 - w) is that of all its reports.
 *
 * All reports of an epoch are scored by one model, and too long a step overshoots the truth: the iteration
 * is stable while n eta L/B < 2, L the slope of the mean score. Reports that are l epochs late were scored
 * by an older model still, and the bound falls nearly as 1/(1 + l): what counts is N = sum of 1 + l, the
 * reports in flight. The step of n reports is multiplied by
 *
 *   min(1, 2 B sqrt(t + o)/n, j B sqrt(t + o)/N),      t at the last report,
 *   j = max(2, sqrt(2 d)) min(1, max(0.3, N/t))
 *
 * (research/epochs.md, "Where the bound comes from"). The last bound counts only where reports are late. The
 * rule of schedule.c keeps n below 0.25 B sqrt t, well within the first.
 */
#include "inner.h"

#include <math.h>
#include <stdlib.h>

/* o, of t under the root of a step. */
static double offset(const sotto_terms *terms)
{
    double scale = terms->codebook[SOTTO_PHASE_MAIN].scale;
    return 1 + 0.4 * terms->spec.dim * (scale * scale - 1);
}

/* c, by measurement. */
static double step_scale(const sotto_spec *spec)
{
    bool linear = spec->score == SOTTO_SCORE_SELF && spec->link == SOTTO_LINK_IDENTITY;
    return linear ? 1 : 0.5;
}

/* The sum of 1/sqrt(t + o) over an epoch's reports, and prod(1 - w). */
typedef struct together {
    double steps;
    double kept;
} together;

static together one_by_one(const sotto_terms *terms, uint64_t before, uint64_t count)
{
    const double o = offset(terms);
    together all = {.steps = 0, .kept = 1};
    for (uint64_t u = 1; u <= count; u++) {
        double t = sotto__remembered(&terms->spec, (double)(before + u));
        all.steps += 1 / sqrt(t + o);
        all.kept *= 1 - 4 / (t + 3);
    }
    return all;
}

static together at_once(const sotto_terms *terms, uint64_t before, uint64_t count)
{
    const sotto_spec *spec = &terms->spec;
    const double o = offset(terms);
    double window = (double)spec->window_reports;
    sotto__step_times times = {
        .first = (double)before + 1 + o,
        .stride = 1,
        .count = count,
        .lo = 1,
        .hi = spec->window_reports > 0 ? window + o : INFINITY,
    };
    return (together){
        .steps = sotto__step_sum(SOTTO_STEP_SQRT, &times),
        .kept = sotto__average_kept(before, count, spec->window_reports),
    };
}

/* The share of its step that an epoch takes; 1 within the rule. */
static double stable_part(const sotto_terms *terms, uint64_t t, const sotto__batch *batch)
{
    double scale = terms->codebook[SOTTO_PHASE_MAIN].scale;
    double last = sotto__remembered(&terms->spec, (double)t) + offset(terms);
    double length = scale * sqrt(last), by_size = fmin(1, 2 * length / (double)batch->count);
    if (batch->late == 0) return by_size;
    double in_flight = sotto__in_flight(batch);
    double fresh = fmin(1, fmax(0.3, in_flight / sotto__remembered(&terms->spec, (double)t)));
    double swing = fmax(2, sqrt(2.0 * terms->spec.dim)) * fresh;
    return fmin(by_size, swing * length / in_flight);
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    const sotto_spec *spec = &base->terms->spec;
    uint64_t before = model->reports, count = batch->count;
    bool few = count <= SOTTO__LOOP_REPORTS_MAX;
    together all =
        few ? one_by_one(base->terms, before, count) : at_once(base->terms, before, count);
    double step = step_scale(spec) * spec->theta_norm_max * all.steps / (double)count;
    step *= stable_part(base->terms, before + count, batch);
    sotto__descend(model->theta, batch->sum, step, spec->dim);
    sotto__project(model->theta, spec->dim, spec->theta_norm_max);
    for (uint32_t i = 0; i < spec->dim; i++) {
        model->tbar[i] += (1 - all.kept) * (model->theta[i] - model->tbar[i]);
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
