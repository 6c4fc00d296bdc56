#include "client.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>

/* ==== score ================================================================================== */

/* What scores share. */

double sotto__score_prediction(const sotto__scored *scored)
{
    return sotto__finite_or_zero(sotto__dot(scored->x, scored->theta, scored->spec->dim));
}

/* v = psi v/||v||; v = 0 stays. */
static void set_length(double *v, uint32_t dim, double psi)
{
    double norm = sotto__norm(v, dim);
    double inverse = norm > 0 ? 1 / norm : 0;
    if (isinf(inverse)) { /* a denormal norm has no finite reciprocal: scale it up first */
        for (uint32_t i = 0; i < dim; i++) {
            v[i] *= 0x1p200;
        }
        inverse = 1 / sotto__norm(v, dim);
    }
    for (uint32_t i = 0; i < dim; i++) {
        v[i] *= inverse * psi;
    }
}

/* v -= (1 - w)(x . u) u, unless the deciding estimate has no direction. */
static void take_off_along(const sotto__scored *scored, double *v)
{
    uint32_t dim = scored->spec->dim;
    double length = sotto__norm(scored->decide, dim);
    if (!(length > 1e-290 && isfinite(length))) return;
    double along = 0; /* x . u */
    for (uint32_t i = 0; i < dim; i++) {
        along += scored->x[i] * (scored->decide[i] / length);
    }
    double part = (1 - scored->along_weight) * along;
    for (uint32_t i = 0; i < dim; i++) {
        v[i] -= part * (scored->decide[i] / length);
    }
}

void sotto__score_along(const sotto__scored *scored, double psi, double *v)
{
    uint32_t dim = scored->spec->dim;
    for (uint32_t i = 0; i < dim; i++) {
        v[i] = scored->x[i];
    }
    if (scored->decide != NULL && scored->along_weight < 1) take_off_along(scored, v);
    set_length(v, dim, psi);
}

/* svec is the lower triangle, row by row. Gaussian noise is scaled to the L2 norm, and off-diagonal
 * entries are multiplied by sqrt 2 so that the L2 norm of svec is that of the matrix; laplace noise
 * is scaled to the L1 norm, and the entries stay as they are. */
void sotto__score_svec(const sotto__scored *scored, double last, double *v)
{
    const sotto_spec *spec = scored->spec;
    const double *x = scored->x;
    double off_diagonal = spec->noise_law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2);
    double weight = sotto__method_of(spec)->moment_weight * last;
    for (uint32_t i = 0; i < spec->dim; i++) {
        double scaled = off_diagonal * x[i];
        for (uint32_t j = 0; j < i; j++) {
            v[j] = scaled * x[j];
        }
        v[i] = x[i] * x[i];
        v += i + 1;
    }
    for (uint32_t i = 0; i < spec->dim; i++) {
        v[i] = weight * x[i];
    }
}

/* ==== score table ============================================================================ */

/* The table of scores. */

static sotto__score_function *const scores[] = {
    [SOTTO_SCORE_SIGN] = sotto__score_sign,       [SOTTO_SCORE_SELF] = sotto__score_self,
    [SOTTO_SCORE_HUBER] = sotto__score_huber,     [SOTTO_SCORE_GRADIENT] = sotto__score_gradient,
    [SOTTO_SCORE_MOMENTS] = sotto__score_moments, [SOTTO_SCORE_GLOC_PAIR] = sotto__score_gloc_pair,
    [SOTTO_SCORE_CENTRED] = sotto__score_centred, [SOTTO_SCORE_REWARD] = sotto__score_reward,
};

sotto__score_function *sotto__score_of(const sotto_spec *spec)
{
    return sotto__method_of(spec)->lifted ? sotto__score_lifted : scores[spec->score];
}

/* ==== score sign ============================================================================= */

/* The sign score, for continuous rewards: psi = +1 if x . theta > r, else -1, always from the true
 * x. Among scores bounded by 1 it has the steepest slope for unimodal noise. */

void sotto__score_sign(const sotto__scored *scored, double *v)
{
    bool above = sotto__score_prediction(scored) > scored->reward;
    double psi = 2 * (double)above - 1; /* compilers may turn `above ? 1 : -1` into a branch */
    sotto__score_along(scored, psi, v);
}

/* ==== score self ============================================================================= */

/* The self-normalised score, for any mean model: muh = clip(mu(x . theta), lo, hi),
 * psi = (muh - r)/max(muh - lo, hi - muh), which is within [-1, 1] for every reward in range. */

void sotto__score_self(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double mean = sotto__link_mean(spec->link, sotto__score_prediction(scored));
    mean = sotto__within(mean, spec->reward_lo, spec->reward_hi);
    double largest = sotto__at_least(mean - spec->reward_lo, spec->reward_hi - mean);
    sotto__score_along(scored, (mean - scored->reward) / largest, v);
}

/* ==== score huber ============================================================================ */

/* The Huber score, for continuous rewards with skewed noise: psi = clip((x . theta - r)/tau, -1,
 * 1). */

void sotto__score_huber(const sotto__scored *scored, double *v)
{
    double residual = sotto__score_prediction(scored) - scored->reward;
    double psi = sotto__within(residual / scored->spec->huber_tau, -1, 1);
    sotto__score_along(scored, psi, v);
}

/* ==== score gradient ========================================================================= */

/* The paper's gradient g = (mu(x . theta) - r) x, clipped to norm R = 2 c_r C_B and divided by it:
 * v = g/R = psi x/||x||, psi = clip((mu(x . theta) - r) ||x||/R, -1, 1) (eq. SGD-mechanism). */

void sotto__score_gradient(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double reward_max = sotto__reward_bound(spec);
    double radius = 2 * reward_max * spec->context_norm_max;
    double mean = sotto__link_mean(spec->link, sotto__score_prediction(scored));
    double length = (mean - scored->reward) * (sotto__norm(scored->x, spec->dim) / radius);
    sotto__score_along(scored, sotto__within(length, -1, 1), v);
}

/* ==== score centred ========================================================================== */

/*
 * The centred score, for counts under the log link: a sign that is right in the mean.
 *
 * With m = clip(e^(x . theta), 0.02, 600), R = clip(Poisson(m), lo, hi) and q its median:
 *
 *   psi = +1                                     if r < q
 *         -1                                     if r > q
 *         (P(R > q) - P(R < q))/P(R = q)         if r = q
 *
 * so that E psi = 0 where the prediction is true. Its steps do not depend on the secret: 1,024 terms
 * of the Poisson law, of which at m = 600 all but 1e-50 are below.
 */

#define TERMS 1024

/* The chances that R is below, at and above q: clip is monotone, so q is the clipped median of
 * Poisson(m). */
typedef struct split {
    double below, at, above, median;
} split;

static double clip(double count, const sotto_spec *spec)
{
    return sotto__within(count, spec->reward_lo, spec->reward_hi);
}

static split split_at_median(double mean, const sotto_spec *spec)
{
    double chance = exp(-mean), sum = 0, median = 0;
    for (int j = 0; j < TERMS; j++) {
        sum += chance;
        median += sum < 0.5; /* counts the numbers below the median */
        chance *= mean / (j + 1);
    }
    split s = {.median = clip(median, spec)};
    chance = exp(-mean);
    for (int j = 0; j < TERMS; j++) {
        double count = clip(j, spec);
        s.below += chance * (count < s.median);
        s.at += chance * (count == s.median);
        s.above += chance * (count > s.median);
        chance *= mean / (j + 1);
    }
    return s;
}

void sotto__score_centred(const sotto__scored *scored, double *v)
{
    double mean = sotto__within(exp(sotto__score_prediction(scored)), 0.02, 600);
    split s = split_at_median(mean, scored->spec);
    double level = (s.above - s.below) / s.at; /* within [-1, 1]: q is a median */
    double less = scored->reward<s.median, more = scored->reward> s.median;
    double psi = less - more + (1 - less - more) * sotto__within(level, -1, 1);
    sotto__score_along(scored, psi, v);
}

/* ==== score moments ========================================================================== */

/* Moments, for least squares: (svec(x x'), lambda r x), one vector of d(d+1)/2 + d numbers. */

void sotto__score_moments(const sotto__scored *scored, double *v)
{
    sotto__score_svec(scored, scored->reward, v);
}

/* ==== score gloc pair ======================================================================== */

/*
 * The pair of LDP-GLOC (Zheng et al. 2020): (svec(x x'), lambda e x), with the residual of the
 * online estimate e = clip(mu(x . theta_h) - r, -2 c_r, 2 c_r). Their third statistic,
 * (x . theta_h) x = (x x') theta_h, the server forms itself.
 */

void sotto__score_gloc_pair(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double bound = 2 * sotto__reward_bound(spec);
    double product = sotto__finite_or_zero(sotto__dot(scored->x, scored->online, spec->dim));
    double residual = sotto__link_mean(spec->link, product) - scored->reward;
    sotto__score_svec(scored, sotto__within(residual, -bound, bound), v);
}

/* ==== score lifted =========================================================================== */

/*
 * Lifted moments, for sotto-ols: with x over C_B and r over c_r, the moments m = (svec(x x'),
 * lambda r x) have ||m||^2 = ||x||^4 + lambda^2 r^2 ||x||^2 <= 1 + lambda^2. One more coordinate,
 * sqrt(1 + lambda^2 - ||m||^2), lifts them to a sphere; v = (m, lift)/sqrt(1 + lambda^2).
 */

void sotto__score_lifted(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double weight = sotto__method_of(spec)->moment_weight;
    double bound = spec->context_norm_max;
    double reward_max = sotto__reward_bound(spec);
    uint32_t count = sotto__statistic_dim(spec) - 1;
    double radius = sqrt(1 + weight * weight);

    sotto__score_svec(scored, scored->reward / reward_max * bound, v);
    for (uint32_t i = 0; i < count; i++) {
        v[i] /= bound * bound * radius;
    }
    double norm = sotto__norm(v, count);
    v[count] = sqrt(sotto__at_least(1 - norm * norm, 0));
}

/* ==== score mean ============================================================================= */

/* The score of the mean phase: v = x/||x||, the direction of the context, and nothing of the reward. */

void sotto__score_mean(const sotto__scored *scored, double *v)
{
    sotto__score_along(scored, 1, v);
}

/* ==== score reward =========================================================================== */

/* The score of one arm for all: v = 2 (r - lo)/(hi - lo) - 1, the reward on the scale -1 to 1. */

void sotto__score_reward(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    v[0] = 2 * (scored->reward - spec->reward_lo) / (spec->reward_hi - spec->reward_lo) - 1;
}
