/*
 * joint-glm: the private GLM bandit of Sarmasarkar, Shuffle and Joint Differential Privacy for
 * Generalized Linear Contextual Bandits (2026, arXiv 2602.00417), after the algorithm and the
 * constants of its public code.
 *
 * This is not a comparison on equal terms, because the guarantee is *joint*: the server is trusted
 * and sees true contexts and rewards, and what other people are shown depends little on one
 * person's data.
 *
 *   S = D, R = 1 for binary rewards, else c_r; zeta = .02;
 *   kappa = 1/min mu', kappa* = 1/max mu' on [-C_B D, C_B D]
 *   lambda   of V and of H: a bound on the largest eigenvalue of their noise,
 *            sigma sqrt levels (2 sqrt d + sqrt(2 ln(T/zeta)))/sqrt 2, and .75 d ln(4T/zeta)/R^2.
 *            The authors' lambda is used if it is smaller or the calibration is `paper`:
 *            2 ln(4/delta) ln(4T/zeta)^2/(epsilon kappa*) replaces the first part
 *   V, H     lambda I + sums of x x'/(1 + x' V^-1 x) of warm-up rounds, mu'(x . theta_w) x x'/e of
 *            the others
 *   warm-up  a round in which some x' V^-1 x > 100/(kappa R^4 S^2 d): the arm with the largest
 *   theta_w  the estimate from warm-up rounds, anew whenever V is not below (1 + f) V' of the last
 *            time and its noise; at most W times
 *   theta_t  the same from all rounds with H, at most N times; f = 5/(8 sqrt d) + .05
 *   decide   among arms with x . theta_w + g ||x||_V^-1 >= max (x . theta_w - g ||x||_V^-1),
 *            g = gamma sqrt kappa, gamma = R S sqrt(d ln(T/zeta)):
 *            argmax x . (theta_w + theta_t)/2 + 4 sqrt(d ln(T/zeta)) ||x||_H'^-1
 *
 * The noise here is exact; the authors calibrate theirs by bounds. Everything released is Gaussian,
 * so the guarantees add up exactly: `whitened` w is the distance that (epsilon, delta) allows, and
 * w^2 is split in thirds between the matrices and the two estimates. A person is in V or in H, in
 * at most `levels` nodes of its tree. Two secrets are sqrt 2 apart in one of the nodes, or 1 in
 * each. Estimates take STEPS steps along the sum of all gradients, each clipped to G, with noise;
 * two secrets are 2 G apart.
 *
 * These parts are ours: lambda follows from this noise; the times at which theta_w is estimated
 * anew (the authors do so after each of the first W warm-up rounds, which reveals who is in one, as
 * would the number of such rounds); full sums instead of drawn batches, which makes their
 * accounting unnecessary; the mean of the last half of the steps; the public bounds of mu', where
 * their simulation uses those of the true parameter.
 */
#include "core/core.h"
#include "inner.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZETA 0.02
#define STEPS 30u
#define CLIP 0.2       /* of the longest gradient, as theirs */
#define STEP_SCALE 2.5 /* a step in units of 1/max mu'; the authors use 10 for the logistic link */

typedef struct joint_glm {
    sotto__rival rival; /* first */
    sotto__joint_noise noise;
    sotto__tree warm, main;
    double least_warm, least_main, threshold, wide, width, grown; /* grown: 1 + f */
    double slope_max;
    uint32_t warm_solves, main_solves; /* done */
    double *person; /* x and r of people behind the estimates; those of warm-up are marked */
    size_t persons;
    double *theta_warm, *theta_main, *theta;            /* dim each; theta: the mean of both */
    double *factor_warm, *factor_main;                  /* of V and H' */
    double *last_warm, *last_main;                      /* V', H' without lambda */
    double *matrix, *form, *upper, *scratch, *gradient; /* upper: ends of intervals, of each arm */
    double *memory;
} joint_glm;

/* A report; x follows. */
typedef struct joint_head {
    double reward;
    double warm; /* 1 in a round of the warm-up */
    double form; /* x' V^-1 x at that time */
} joint_head;

/* ---- the tree ------------------------------------------------------------------------------ */

sotto_status sotto__tree_new(uint32_t dim, uint64_t people, double sigma, sotto__tree *out)
{
    uint32_t levels = 1;
    while (people >> levels != 0) {
        levels++;
    }
    *out = (sotto__tree){.levels = levels, .count = sotto__tri_count(dim), .sigma = sigma};
    out->node = calloc((2 * (size_t)levels + 1) * out->count, sizeof out->node[0]);
    if (out->node == NULL) return SOTTO_E_MEMORY;
    out->noisy = out->node + (size_t)levels * out->count;
    out->sum = out->noisy + (size_t)levels * out->count;
    return SOTTO_OK;
}

void sotto__tree_free(sotto__tree *tree)
{
    free(tree->node);
}

/* Person t belongs to the node of the lowest bit of t that is 1. That node absorbs all nodes below
 * it. */
void sotto__tree_add(sotto__tree *tree, const sotto__ziggurat *ziggurat, sotto__seeded *noise,
                     const double *x, uint32_t dim, double weight)
{
    size_t bytes = tree->count * sizeof(double);
    uint32_t level = 0;
    tree->t++;
    while ((tree->t >> level & 1) == 0) {
        level++;
    }
    double *node = tree->node + (size_t)level * tree->count;
    double *noisy = tree->noisy + (size_t)level * tree->count;
    memset(node, 0, bytes);
    for (uint32_t i = 0, at = 0; weight != 0 && i < dim; i++) {
        for (uint32_t j = 0; j <= i; j++, at++) {
            node[at] = weight * x[i] * x[j];
        }
    }
    for (uint32_t below = 0; below < level; below++) {
        for (uint32_t i = 0; i < tree->count; i++) {
            node[i] += tree->node[(size_t)below * tree->count + i];
        }
    }
    memcpy(noisy, node, bytes);
    for (uint32_t i = 0, at = 0; i < dim; i++) {
        sotto__add_normals(ziggurat, noise, tree->sigma / sqrt(2), noisy + at, i);
        at += i;
        sotto__add_normals(ziggurat, noise, tree->sigma, noisy + at++, 1);
    }
    memset(tree->sum, 0, bytes);
    for (uint32_t l = level; l < tree->levels; l++) {
        if ((tree->t >> l & 1) == 0) continue;
        for (uint32_t i = 0; i < tree->count; i++) {
            tree->sum[i] += tree->noisy[(size_t)l * tree->count + i];
        }
    }
}

/* ---- constants ----------------------------------------------------------------------------- */

typedef struct constants {
    double people, dim, s, r, kappa, kappa_star, gamma, lambda, ridge;
} constants;

static double lambda_term(const sotto_match *match, double kappa_star)
{
    double people = (double)match->horizon, wide = log(4 * people / ZETA);
    return log(4 / match->delta) * wide * wide / (match->spec.epsilon * kappa_star);
}

static constants constants_of(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    double reach = spec->context_norm_max * spec->theta_norm_max;
    constants c = {
        .people = (double)match->horizon,
        .dim = spec->dim,
        .s = spec->theta_norm_max,
        .r = spec->reward_kind == SOTTO_REWARD_BINARY ? 1 : sotto__reward_bound(spec),
        .kappa = 1 / sotto__link_slope_min(spec->link, reach),
        .kappa_star = 1 / sotto__link_slope_max(spec->link, reach),
    };
    c.gamma = c.r * c.s * sqrt(c.dim * log(c.people / ZETA));
    c.ridge = 0.75 * c.dim * log(4 * c.people / ZETA) / (c.r * c.r);
    c.lambda = 2 * lambda_term(match, c.kappa_star) + c.ridge;
    return c;
}

static uint32_t solves_of(const sotto_match *match, const constants *c)
{
    double part = 1.5 * lambda_term(match, c->kappa_star);
    double least = c->lambda - part, most = c->lambda + part;
    double count =
        3 * log2(most / least + c->people / (c->kappa_star * c->kappa_star * least * c->dim));
    return (uint32_t)fmin(1000, fmax(1, floor(count)));
}

static uint32_t warm_up_solves_of(const constants *c)
{
    double count = c->dim * c->r * c->r * c->kappa * c->gamma * c->gamma * log(c->people) / 20000;
    return (uint32_t)fmin(1000, fmax(1, floor(count)));
}

/* A bound on the largest eigenvalue of the noise of such a tree. */
static double largest_noise(const constants *c, double sigma)
{
    double levels = 1 + floor(log2(c->people));
    return sigma * sqrt(levels / 2) * (2 * sqrt(c->dim) + sqrt(2 * log(c->people / ZETA)));
}

sotto__joint_noise sotto__joint_noise_of(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    constants c = constants_of(match);
    double square = spec->context_norm_max * spec->context_norm_max;
    double range = spec->reward_hi - spec->reward_lo;
    double whitened = 1 / sotto_gaussian_sigma(spec->epsilon, match->delta, 1);
    double part = whitened / sqrt(3);
    double levels = 1 + floor(log2(c.people));
    sotto__joint_noise n = {
        .whitened = whitened,
        .warm_up_solves = warm_up_solves_of(&c),
        .solves = solves_of(match, &c),
        .steps = STEPS,
        .gradient_max = CLIP * spec->context_norm_max * range,
        .weight_max = 1 / (c.kappa_star * exp(1)),
    };
    n.warm_up = sqrt(2 * levels) * square / part;
    n.main = n.warm_up * n.weight_max;
    n.first = 2 * n.gradient_max * sqrt((double)n.warm_up_solves * STEPS) / part;
    n.second = 2 * n.gradient_max * sqrt((double)n.solves * STEPS) / part;
    n.warm_up_lambda = n.main_lambda = c.lambda;
    if (match->calibration == SOTTO_CALIBRATION_PAPER) return n;
    n.warm_up_lambda = fmin(c.lambda, largest_noise(&c, n.warm_up) + c.ridge);
    n.main_lambda = fmin(c.lambda, largest_noise(&c, n.main) + c.ridge);
    return n;
}

/* ---- deciding ------------------------------------------------------------------------------ */

static uint32_t joint_choose(sotto__rival *self)
{
    joint_glm *j = (joint_glm *)self;
    uint32_t dim = self->dim, arms = self->arms, widest = 0;
    for (uint32_t a = 0; a < arms; a++) {
        j->form[a] =
            sotto__inverse_form(j->factor_warm, self->context + (size_t)a * dim, j->scratch, dim);
        if (j->form[a] > j->form[widest]) widest = a;
    }
    if (j->form[widest] > j->threshold) return widest;
    double most = -INFINITY;
    for (uint32_t a = 0; a < arms; a++) {
        const double *x = self->context + (size_t)a * dim;
        double middle = sotto__dot(x, j->theta_warm, dim), half = j->wide * sqrt(j->form[a]);
        j->upper[a] = middle + half; /* to compare with the largest lower end */
        most = fmax(most, middle - half);
    }
    for (uint32_t a = 0; a < arms; a++) {
        const double *x = self->context + (size_t)a * dim;
        double form = sotto__inverse_form(j->factor_main, x, j->scratch, dim);
        bool stays = j->upper[a] >= most;
        self->score[a] = stays ? sotto__dot(x, j->theta, dim) + j->width * sqrt(form) : -INFINITY;
    }
    return sotto__largest(self->score, arms);
}

static void joint_report(sotto__rival *self, double reward, void *out)
{
    joint_glm *j = (joint_glm *)self;
    joint_head *to = out;
    double form = j->form[self->arm];
    *to = (joint_head){reward, form > j->threshold, form};
    memcpy(to + 1, sotto__rival_x(self), self->dim * sizeof(double));
}

/* ---- estimates ----------------------------------------------------------------------------- */

static void keep_person(joint_glm *j, const double *x, double reward, bool warm)
{
    uint32_t dim = j->rival.dim;
    double *to = j->person + j->persons++ * (dim + 2);
    memcpy(to, x, dim * sizeof *x);
    to[dim] = reward;
    to[dim + 1] = warm;
}

/* The sum of the clipped gradients of the people who count. */
static void add_gradients(joint_glm *j, bool warm_only, const double *theta)
{
    uint32_t dim = j->rival.dim;
    sotto_link link = j->rival.match->spec.link;
    memset(j->gradient, 0, dim * sizeof j->gradient[0]);
    for (size_t p = 0; p < j->persons; p++) {
        const double *x = j->person + p * (dim + 2);
        if (warm_only && x[dim + 1] == 0) continue;
        double residual = sotto__link_mean(link, sotto__dot(x, theta, dim)) - x[dim];
        double length = fabs(residual) * sqrt(sotto__dot(x, x, dim));
        double scale = residual * fmin(1, j->noise.gradient_max / fmax(length, 1e-300));
        for (uint32_t i = 0; i < dim; i++) {
            j->gradient[i] += scale * x[i];
        }
    }
}

/* How many people an estimate uses, from public information only: for warm-up rounds by the trace
 * of V. */
static double known_people(const joint_glm *j, bool warm_only)
{
    double bound = j->rival.match->spec.context_norm_max, trace = 0;
    if (!warm_only) return (double)j->main.t;
    for (uint32_t i = 0; i < j->rival.dim; i++) {
        trace += j->warm.sum[sotto__tri_count(i) + i];
    }
    return fmax(1, trace / (bound * bound));
}

/* Starts from the mean of both estimates. */
static void estimate_again(joint_glm *j, bool warm_only)
{
    sotto__rival *self = &j->rival;
    uint32_t dim = self->dim;
    double *out = warm_only ? j->theta_warm : j->theta_main;
    double sigma = warm_only ? j->noise.first : j->noise.second;
    double step = STEP_SCALE / (j->slope_max * known_people(j, warm_only));
    double theta[SOTTO_DIM_MAX];
    memcpy(theta, j->theta, dim * sizeof theta[0]);
    memset(out, 0, dim * sizeof out[0]);
    for (uint32_t k = 0; k < STEPS; k++) {
        add_gradients(j, warm_only, theta);
        sotto__add_normals(&self->ziggurat, &self->noise, sigma, j->gradient, dim);
        for (uint32_t i = 0; i < dim; i++) {
            theta[i] -= step * j->gradient[i];
        }
        for (uint32_t i = 0; 2 * k >= STEPS && i < dim; i++) {
            out[i] += theta[i] * 2 / STEPS;
        }
    }
    for (uint32_t i = 0; i < dim; i++) {
        j->theta[i] = (j->theta_warm[i] + j->theta_main[i]) / 2;
    }
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* Factors `sum` + shift I. The shift is lambda, doubled until the matrix is positive definite,
 * because noise may exceed lambda. */
static void set_factor(const joint_glm *j, const double *sum, double lambda, double *factor)
{
    uint32_t dim = j->rival.dim, count = sotto__tri_count(dim);
    for (double shift = lambda;; shift *= 2) {
        memcpy(factor, sum, count * sizeof factor[0]);
        for (uint32_t i = 0; i < dim; i++) {
            factor[sotto__tri_count(i) + i] += shift;
        }
        if (sotto__cholesky(factor, dim)) return;
    }
}

/* True if `sum` is not below (1 + f) `last` + `least` I. */
static bool has_grown(joint_glm *j, const double *sum, const double *last, double least)
{
    uint32_t dim = j->rival.dim, count = sotto__tri_count(dim);
    for (uint32_t i = 0; i < count; i++) {
        j->matrix[i] = j->grown * last[i] - sum[i];
    }
    for (uint32_t i = 0; i < dim; i++) {
        j->matrix[sotto__tri_count(i) + i] += least;
    }
    return !sotto__cholesky(j->matrix, dim);
}

static sotto_status joint_take(sotto__rival *self, const void *report)
{
    joint_glm *j = (joint_glm *)self;
    const joint_head *from = report;
    const double *x = (const double *)(from + 1);
    uint32_t dim = self->dim;
    bool warm = from->warm != 0;
    double slope = sotto__link_slope(self->match->spec.link, sotto__dot(x, j->theta_warm, dim));
    double weight = fmin(slope / exp(1), j->noise.weight_max);
    sotto__tree_add(&j->warm, &self->ziggurat, &self->noise, x, dim,
                    warm ? 1 / (1 + from->form) : 0);
    sotto__tree_add(&j->main, &self->ziggurat, &self->noise, x, dim, warm ? 0 : weight);
    set_factor(j, j->warm.sum, j->noise.warm_up_lambda, j->factor_warm);
    keep_person(j, x, from->reward, warm);
    size_t bytes = j->main.count * sizeof(double);
    if (j->warm_solves < j->noise.warm_up_solves &&
        has_grown(j, j->warm.sum, j->last_warm, j->least_warm)) {
        j->warm_solves++;
        memcpy(j->last_warm, j->warm.sum, bytes);
        estimate_again(j, true);
    }
    if (j->main_solves < j->noise.solves &&
        has_grown(j, j->main.sum, j->last_main, j->least_main)) {
        j->main_solves++;
        memcpy(j->last_main, j->main.sum, bytes);
        set_factor(j, j->last_main, j->noise.main_lambda, j->factor_main);
        estimate_again(j, false);
    }
    return SOTTO_OK;
}

static const double *joint_estimate(const sotto__rival *self)
{
    return ((const joint_glm *)self)->theta;
}

/* ---- made and freed ------------------------------------------------------------------------ */

static void joint_free(sotto__rival *self)
{
    joint_glm *j = (joint_glm *)self;
    sotto__tree_free(&j->warm);
    sotto__tree_free(&j->main);
    free(j->person);
    free(j->memory);
}

static sotto_status take_memory(joint_glm *j)
{
    uint32_t dim = j->rival.dim, arms = j->rival.arms;
    size_t count = sotto__tri_count(dim);
    j->memory = calloc(5 * count + 5 * (size_t)dim + 2 * (size_t)arms, sizeof j->memory[0]);
    j->person = malloc(j->rival.match->horizon * (dim + 2) * sizeof j->person[0]);
    if (j->memory == NULL || j->person == NULL) return SOTTO_E_MEMORY;
    j->factor_warm = j->memory;
    j->factor_main = j->factor_warm + count;
    j->last_warm = j->factor_main + count;
    j->last_main = j->last_warm + count;
    j->matrix = j->last_main + count;
    j->theta_warm = j->matrix + count;
    j->theta_main = j->theta_warm + dim;
    j->theta = j->theta_main + dim;
    j->scratch = j->theta + dim;
    j->gradient = j->scratch + dim;
    j->form = j->gradient + dim;
    j->upper = j->form + arms;
    return SOTTO_OK;
}

static sotto_status joint_begin(sotto__rival *self)
{
    joint_glm *j = (joint_glm *)self;
    const sotto_match *match = self->match;
    constants c = constants_of(match);
    j->noise = sotto__joint_noise_of(match);
    j->grown = 1 + 5 / (8 * sqrt(c.dim)) + 0.05;
    j->least_warm =
        (j->grown - 1) * j->noise.warm_up_lambda + 2 * largest_noise(&c, j->noise.warm_up);
    j->least_main = (j->grown - 1) * j->noise.main_lambda;
    j->slope_max = 1 / c.kappa_star;
    j->threshold = 100 / (c.kappa * pow(c.r, 4) * c.s * c.s * c.dim);
    j->wide = c.gamma * sqrt(c.kappa);
    j->width = 4 * sqrt(c.dim * log(c.people / ZETA));
    self->report_bytes = sizeof(joint_head) + self->dim * sizeof(double);
    sotto_status status = take_memory(j);
    if (status == SOTTO_OK) {
        status = sotto__tree_new(self->dim, match->horizon, j->noise.warm_up, &j->warm);
    }
    if (status == SOTTO_OK) {
        status = sotto__tree_new(self->dim, match->horizon, j->noise.main, &j->main);
    }
    if (status != SOTTO_OK) return status;
    set_factor(j, j->warm.sum, j->noise.warm_up_lambda, j->factor_warm);
    set_factor(j, j->last_main, j->noise.main_lambda, j->factor_main);
    return SOTTO_OK;
}

const sotto__rival_method sotto__rival_joint = {
    .struct_bytes = sizeof(joint_glm),
    .begin = joint_begin,
    .choose = joint_choose,
    .report = joint_report,
    .take = joint_take,
    .estimate = joint_estimate,
    .free = joint_free,
};
