#include "core/core.h"
#include "inner.h"
#include "server.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What estimators share. */

void sotto__estimator_free(sotto__estimator *estimator)
{
    if (estimator != NULL) estimator->free(estimator);
}

/* Gaussian: sigma is the sd of each coordinate of (svec(x x'), lambda r x), whose off-diagonals are
 * sqrt 2 times those of x x'. Laplace: the entries are plain, and scale b has sd sqrt 2 b. */
sotto__noise_level sotto__noise_level_of(const sotto_terms *terms)
{
    if (sotto_terms_reports_indices(terms)) return (sotto__noise_level){0, 0};
    double weight = sotto__method_of(&terms->spec)->moment_weight;
    double scale = ldexp(terms->lattice.scale_ticks, terms->lattice.grid_log2);
    bool laplace = terms->spec.noise_law == SOTTO_NOISE_LAPLACE;
    double sd = laplace ? sqrt(2) * scale : scale;
    return (sotto__noise_level){.matrix = laplace ? sd : sd / sqrt(2), .vector = sd / weight};
}

void sotto__descend(double *restrict theta, const double *restrict sum, double step, uint32_t count)
{
    for (size_t i = 0; i < count; i++) {
        double next = theta[i] - step * sum[i];
        theta[i] = fabs(next) <= DBL_MAX ? next : theta[i];
    }
}

/* Nearly every estimate is within its bound, which the sum of squares shows: sqrt(b b) is b, and
 * rounded roots keep the order of their numbers. */
void sotto__project(double *theta, uint32_t dim, double norm_max)
{
    if (sotto__dot(theta, theta, dim) <= norm_max * norm_max) return;
    double norm = sotto__norm(theta, dim);
    if (norm <= norm_max) return;
    double shrink = norm_max / norm;
    for (uint32_t i = 0; i < dim; i++) {
        theta[i] *= shrink;
    }
}

double sotto__horizon(const sotto_learning *learning, uint64_t t)
{
    if (learning->horizon > 0) return (double)learning->horizon;
    double horizon = 1024;
    while (horizon <= (double)t) {
        horizon *= 2;
    }
    return horizon;
}

void sotto__end_warm_up(const sotto__estimator *estimator, sotto_model *model)
{
    const sotto_spec *spec = &estimator->terms->spec;
    model->phase = SOTTO_PHASE_MAIN;
    if (model->frozen == NULL) return;
    memcpy(model->frozen, model->theta, sotto__parameter_count(spec) * sizeof model->frozen[0]);
    model->elimination = estimator->learning->elimination_scale * spec->context_norm_max *
                         estimator->predict_error(estimator);
}
