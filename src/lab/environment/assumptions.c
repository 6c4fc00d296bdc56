/*
 * The constants of the paper's assumptions, estimated from the people of a world.
 *
 *     kappa_u     d lambda_max(Cov x), arms pooled                              (Assumption 2)
 *     kappa_l p*  shared: d min_u lambda_min(E[x x' of the arm greedy for u])   (Assumption 3)
 *                 per-arm: K_opt min_a lambda_min(E[X X' 1{a is best}])         (Assumption 5)
 *     margin      P(gap <= h) = gamma h^beta, for small h                       (Assumption 4)
 *
 * The paper asks for P((x'v)^2 > kappa_l/d) >= p*, from which d E[(x'v)^2] >= kappa_l p* follows by
 * Markov's inequality, and its theorems use no more: so this is the largest the product can be.
 * K_opt counts the arms that are best for somebody.
 */
#include "core/core.h"
#include "environment.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS_MIN 100
#define GAPS_MAX 1000000u /* more would not improve the fit, but use more memory */

/* Sums over people. With shared parameters, matrix 0 is that of theta* and the others are those of
 * random directions; with per-arm parameters there is one matrix per arm. */
typedef struct survey {
    sotto__world *world;
    uint32_t dim, arms;
    uint32_t tri; /* numbers of a packed matrix */
    uint32_t matrices;
    double *direction; /* matrices x dim; the first is not used */
    double *matrix;    /* matrices x tri */
    double *pooled;    /* tri: sum of x x' over people and their vectors */
    double *sum;       /* dim: sum of x, likewise */
    double *gap;       /* of the first people */
    double *scratch;   /* 2 dim */
    uint32_t gaps;
    double regret;
} survey;

static bool is_per_arm(const survey *s)
{
    return s->world->match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
}

/* Eigenvalues cost d^3 per direction, so large dimensions get fewer directions. */
static uint32_t matrices_of(const sotto_spec *spec)
{
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return spec->arms;
    return 1 + (spec->dim <= 256 ? 32 : 8);
}

/* argmax over `rows` of row . u. */
static uint32_t best_row(const double *row, uint32_t rows, const double *u, uint32_t dim)
{
    uint32_t best = 0;
    double highest = -INFINITY;
    for (uint32_t a = 0; a < rows; a++) {
        double value = sotto__dot(row + (size_t)a * dim, u, dim);
        if (value > highest) best = a, highest = value;
    }
    return best;
}

static void add_greedy(survey *s)
{
    const sotto__world *world = s->world;
    if (is_per_arm(s)) {
        uint32_t arm = best_row(world->theta, s->arms, world->context, s->dim);
        sotto__add_outer(s->matrix + (size_t)arm * s->tri, world->context, s->dim);
        return;
    }
    for (uint32_t m = 0; m < s->matrices; m++) {
        const double *u = m == 0 ? world->theta : s->direction + (size_t)m * s->dim;
        uint32_t arm = best_row(world->context, s->arms, u, s->dim);
        sotto__add_outer(s->matrix + (size_t)m * s->tri, world->context + (size_t)arm * s->dim,
                         s->dim);
    }
}

static void add_pooled(survey *s)
{
    for (uint32_t i = 0; i < s->world->context_count; i += s->dim) {
        const double *x = s->world->context + i;
        sotto__add_outer(s->pooled, x, s->dim);
        for (uint32_t j = 0; j < s->dim; j++) {
            s->sum[j] += x[j];
        }
    }
}

/* Adds the gap between the best mean and the second best, and the regret of the average arm. Means
 * are multiplied by the worths, if arms have any. */
static void add_means(survey *s)
{
    const double *value = s->world->value;
    double best = -INFINITY, second = -INFINITY, total = 0;
    for (uint32_t a = 0; a < s->arms; a++) {
        second = fmax(second, fmin(best, value[a]));
        best = fmax(best, value[a]);
        total += value[a];
    }
    s->regret += best - total / s->arms;
    if (s->gaps < GAPS_MAX) s->gap[s->gaps++] = best - second;
}

/* Least squares of log((i + 1/2)/n) on log gap_(i), over the gaps from 1 % to 10 % of their
 * law. Gaps that are all alike follow no power law; then beta is 0 and gamma 1, which holds
 * for any law. */
static void fit_margin(survey *s, sotto_assumptions *out)
{
    sotto__sort(s->gap, s->gaps);
    uint32_t first = s->gaps / 100, last = s->gaps / 10;
    double n = last - first, x_mean = 0, y_mean = 0, xx = 0, xy = 0;
    out->margin_beta = 0;
    out->margin_gamma = 1;
    if (!(s->gap[last - 1] > s->gap[first] * (1 + 1e-6) && s->gap[first] > 0)) return;
    for (uint32_t i = first; i < last; i++) {
        x_mean += log(s->gap[i]) / n;
        y_mean += log((i + 0.5) / s->gaps) / n;
    }
    for (uint32_t i = first; i < last; i++) {
        double x = log(s->gap[i]) - x_mean;
        xx += x * x;
        xy += x * (log((i + 0.5) / s->gaps) - y_mean);
    }
    out->margin_beta = xy / xx;
    out->margin_gamma = exp(y_mean - out->margin_beta * x_mean);
}

/* lambda_max of the covariance: E[x x'] - E[x] E[x]'. */
static double spread(survey *s, double vectors)
{
    for (uint32_t i = 0; i < s->dim; i++) {
        double *row = s->pooled + sotto__tri_count(i);
        for (uint32_t j = 0; j <= i; j++) {
            row[j] = row[j] / vectors - s->sum[i] / vectors * (s->sum[j] / vectors);
        }
    }
    return sotto__eigen_extremes(s->pooled, s->dim, s->scratch).largest;
}

/* lambda_min of a sum over people, divided by the number of people. */
static double smallest_of(survey *s, uint32_t m, double draws)
{
    double *matrix = s->matrix + (size_t)m * s->tri;
    return sotto__eigen_extremes(matrix, s->dim, s->scratch).smallest / draws;
}

/* False if the arm is best for nobody, so that its matrix is still 0. */
static bool is_wanted(const survey *s, uint32_t arm)
{
    const double *matrix = s->matrix + (size_t)arm * s->tri;
    for (uint32_t i = 0; i < s->dim; i++) {
        if (matrix[sotto__tri_count(i) + i] > 0) return true;
    }
    return false;
}

static void conclude_shared(survey *s, sotto_assumptions *out)
{
    out->lambda_min = smallest_of(s, 0, (double)out->draws);
    double least = out->lambda_min;
    for (uint32_t m = 1; m < s->matrices; m++) {
        least = fmin(least, smallest_of(s, m, (double)out->draws));
    }
    out->kappa_l_p = s->dim * least;
}

static void conclude_per_arm(survey *s, sotto_assumptions *out)
{
    uint32_t wanted = 0;
    out->lambda_min = INFINITY;
    for (uint32_t a = 0; a < s->arms; a++) {
        if (!is_wanted(s, a)) continue;
        wanted++;
        out->lambda_min = fmin(out->lambda_min, smallest_of(s, a, (double)out->draws));
    }
    out->kappa_l_p = wanted * out->lambda_min;
}

static void conclude(survey *s, sotto_assumptions *out)
{
    const sotto_spec *spec = &s->world->match->spec;
    double draws = (double)out->draws;
    out->kappa_u = s->dim * spread(s, draws * (s->world->context_count / s->dim));
    if (is_per_arm(s)) {
        conclude_per_arm(s, out);
    } else {
        conclude_shared(s, out);
    }
    fit_margin(s, out);
    out->zeta = sotto__link_slope_min(spec->link, spec->context_norm_max * spec->theta_norm_max);
    out->random_regret = s->regret / draws;
    /* eta_t = c' d/(kappa_l zeta p* t), per-arm c'/(zeta kappa_l p' t). */
    out->eta0 = (is_per_arm(s) ? 1 : s->dim) / (out->kappa_l_p * out->zeta);
    out->exponent = (1 - fmin(1, out->margin_beta)) / 2;
}

static void lay_out(survey *s, double *memory)
{
    s->direction = memory;
    s->matrix = s->direction + (size_t)s->matrices * s->dim;
    s->pooled = s->matrix + (size_t)s->matrices * s->tri;
    s->sum = s->pooled + s->tri;
    s->scratch = s->sum + s->dim;
    s->gap = s->scratch + 2 * (size_t)s->dim;
}

sotto_status sotto_assumptions_estimate(const sotto_match *match, uint64_t seed, uint64_t draws,
                                        sotto_assumptions *out)
{
    if (match == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (draws < DRAWS_MIN || match->environment.custom != NULL) return SOTTO_E_FAULT;
    survey s = {.dim = match->spec.dim, .arms = match->spec.arms};
    sotto_status status = sotto__world_new(match, seed, &s.world);
    if (status != SOTTO_OK) return status;

    s.tri = sotto__tri_count(s.dim);
    s.matrices = matrices_of(&match->spec);
    size_t gaps = draws < GAPS_MAX ? (size_t)draws : GAPS_MAX;
    size_t numbers = ((size_t)s.matrices + 1) * (s.tri + s.dim) + 2 * (size_t)s.dim + gaps;
    double *memory = calloc(numbers, sizeof *memory);
    status = SOTTO_E_MEMORY;
    if (memory == NULL) goto cleanup;
    lay_out(&s, memory);
    for (uint32_t m = 0; m < s.matrices; m++) {
        sotto__draw_sphere(&s.world->ziggurat, &s.world->parameters, s.dim, 1,
                           s.direction + (size_t)m * s.dim);
    }
    for (uint64_t t = 0; t < draws; t++) {
        sotto__world_next(s.world);
        add_greedy(&s);
        add_pooled(&s);
        add_means(&s);
    }
    *out = (sotto_assumptions){.draws = draws};
    conclude(&s, out);
    status = SOTTO_OK;
cleanup:
    free(memory);
    sotto__world_free(s.world);
    return status;
}
