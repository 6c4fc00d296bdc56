#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>

/*
 * Shifted least squares on released moments: ldp-ols, ldp-ucb and sotto-ols.
 *
 *   theta = (sum M + c_t I)^-1 sum u
 *
 * M and u are x x' and r x with noise. Everything is a sum over reports: epochs may be split and
 * ordered in any way.
 */

typedef struct least_squares {
    sotto__estimator base; /* first, so that a pointer to it is a pointer to the whole */
    sotto__shifted shifted;
    double matrix_unit; /* times the svec of batch->sum: M */
    double vector_unit; /* times its vector part: u */
    double theta_unit;  /* times the solution: theta */
    double numbers[];
} least_squares;

/* sotto-ols: shift = kappa 2 sd_off sqrt(d t), kappa = clip(2 + 8(d - 2)/18, 2, 10) by measurement,
 * with sd_off = sqrt(1 + lambda^2) B/sqrt(2(D + 1)) the sd of an off-diagonal entry of M: the
 * codeword of R^(D+1), of length B sqrt(1 + lambda^2), has about the same share in each coordinate.
 */
static double lifted_shift(const least_squares *self)
{
    const sotto_spec *spec = &self->base.terms->spec;
    double d = spec->dim;
    double kappa = fmax(2, fmin(10, 2 + 8 * (d - 2) / 18));
    double sd = self->matrix_unit / sqrt(2.0 * sotto__statistic_dim(spec));
    return kappa * 2 * sd * sqrt(d * self->shifted.all);
}

/* upsilon_t = sigma sqrt(t) (4 sqrt d + 2 ln(2T/alpha)) (Theorem 3.1 of the paper; Zheng et al.
 * 2020); ldp-ols with per-arm parameters bounds K matrices at once and has 2TK/alpha (Theorem 4.1).
 */
static double upsilon(const least_squares *self, uint64_t t)
{
    const sotto_spec *spec = &self->base.terms->spec;
    const sotto_learning *learning = self->base.learning;
    double odds = sotto__horizon(learning, t) / learning->alpha;
    if (!sotto__method_of(spec)->confidence) odds *= self->shifted.blocks;
    return sotto__upsilon(&self->shifted, self->base.noise.matrix, odds);
}

/* beta_t = 2 sigma sqrt(d ln T) + (sqrt(3 upsilon_t) + sigma sqrt(d t/upsilon_t)) d ln T (Zheng et
 * al. 2020), with the upsilon_t of theory, whatever the shift. */
static double confidence_width(const least_squares *self, uint64_t t)
{
    double d = self->base.terms->spec.dim, sigma = self->base.noise.matrix;
    double log_horizon = log(sotto__horizon(self->base.learning, t));
    double u = upsilon(self, t);
    return 2 * sigma * sqrt(d * log_horizon) +
           (sqrt(3 * u) + sigma * sqrt(d * self->shifted.all / u)) * d * log_horizon;
}

static void absorb(sotto__estimator *base, const sotto__batch *batch, sotto_model *model)
{
    least_squares *self = (least_squares *)base;
    const sotto_spec *spec = &base->terms->spec;
    const sotto__method *method = sotto__method_of(spec);
    uint64_t t = model->reports + batch->count;
    sotto__shifted_add(&self->shifted, batch, self->matrix_unit);
    for (uint32_t b = 0; b < self->shifted.blocks; b++) {
        const double *u = sotto__vector_part(spec, batch->sum, b);
        double *cross = self->shifted.cross + (size_t)b * spec->dim;
        for (uint32_t i = 0; i < spec->dim; i++) {
            cross[i] += self->vector_unit * u[i];
        }
    }
    double shift = method->lifted ? lifted_shift(self) : 2 * upsilon(self, t);
    shift *= base->learning->shift_scale;
    base->repairs += sotto__shifted_solve(&self->shifted, shift, self->theta_unit, model);
    if (method->confidence) model->beta = confidence_width(self, t);
}

/* With A = sum M + c I, W and xi the noise of the n reports in sum M and sum u:
 *
 *   theta - theta* = A^-1 (xi - W theta* - c theta* + noise of rewards)
 *
 * The server knows A, and of the rest this much: E[xi xi'] = n vector^2 I; W theta* has about
 * n matrix^2 ||theta*||^2 in each coordinate; and theta* is no longer than D, in any direction:
 * E[theta* theta*'] = (D^2/d) I. So E||theta - theta*||^2 is about
 *
 *   tr(A^-2) (c^2 D^2/d + n (vector^2 + matrix^2 D^2))
 *
 * The noise of rewards is small beside that of privacy and is left out. */
static double predict_error(const sotto__estimator *base)
{
    const sotto__shifted *shifted = &((const least_squares *)base)->shifted;
    double d = base->terms->spec.dim, bound = base->terms->spec.theta_norm_max;
    double worst = 0;
    for (uint32_t a = 0; a < shifted->blocks; a++) {
        double c = shifted->shift[a];
        if (isinf(c)) return bound;
        double vector = base->noise.vector, matrix = base->noise.matrix * bound;
        double noise = shifted->summands[a] * (vector * vector + matrix * matrix);
        double bias = c * c * bound * bound / d;
        double error = sqrt(sotto__shifted_trace(shifted, a) * (bias + noise));
        if (!(error < bound)) return bound; /* also if it is not a number */
        worst = fmax(worst, error);
    }
    return worst;
}

static uint32_t kept(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    return sotto__shifted_kept(&((least_squares *)base)->shifted, kept);
}

static void release(sotto__estimator *base)
{
    free(base);
}

/* Lattice sums are (svec(x x'), lambda r x) as they are. The codewords of sotto-ols stand for that
 * vector of x/C_B and r/c_r over sqrt(1 + lambda^2), so theta comes in units of c_r/C_B. */
static void set_units(least_squares *self, const sotto_terms *terms)
{
    const sotto_spec *spec = &terms->spec;
    double weight = sotto__method_of(spec)->moment_weight;
    double reward_max = sotto__reward_bound(spec);
    bool lifted = sotto__method_of(spec)->lifted;
    double radius = sqrt(1 + weight * weight);
    self->matrix_unit = lifted ? radius * terms->codebook[SOTTO_PHASE_MAIN].scale : 1;
    self->vector_unit = self->matrix_unit / weight;
    self->theta_unit = lifted ? reward_max / spec->context_norm_max : 1;
}

sotto_status sotto__least_squares_new(const sotto_terms *terms, const sotto_learning *learning,
                                      sotto__estimator **out)
{
    const sotto_spec *spec = &terms->spec;
    size_t bytes = sotto__shifted_doubles(spec) * sizeof(double);
    least_squares *self = calloc(1, sizeof *self + bytes);
    if (self == NULL) return SOTTO_E_MEMORY;
    bool eliminates = sotto__method_of(spec)->eliminates;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    self->base = (sotto__estimator){
        .terms = terms,
        .learning = learning,
        .noise = sotto__noise_level_of(terms),
        .absorb = absorb,
        .predict_error = eliminates && per_arm ? predict_error : NULL,
        .kept = kept,
        .free = release,
    };
    sotto__shifted_begin(&self->shifted, spec, self->numbers);
    set_units(self, terms);
    *out = &self->base;
    return SOTTO_OK;
}
