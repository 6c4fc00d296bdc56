/*
 * LDP-GLOC (Zheng et al. 2020) as published: theta_h follows noisy gradients, and theta is least
 * squares on its predictions. Both start at random directions; in the second scheme at the same
 * one.
 *
 * Shared: with c_n = 2 upsilon_n and beta_n = sqrt(sigma_s/mu_0 sqrt(d n)), both with the
 * server's sigma_s = 6 sqrt(2 ln(3.75/delta))/eps, mu_0 = mu'(-1), c_0 = c_1, beta_0 = beta_1:
 *
 *     argmax x . theta + beta_(n-1) sqrt(x' (V + c_(n-1) I)^-1 x)   (second scheme: beta ||x||)
 *     V += x x' + W,  u += (x . theta_h) x + xi,  theta = (V + c_(n-1) I)^-1 u
 *     theta_h -= zeta ((mu(clip(x . theta_h, -5, 5)) - r) x + xi'), zeta = 1/sqrt T (dK/sqrt T)
 *
 * The authors report theta_h. Corrected: the second scheme's bonus uses V, too (exploration);
 * theta_h is projected to the unit ball after each step (bounded), without which nothing bounds
 * what the client sends. Per-arm: in R^(dK) with block contexts, with c_n = 2 upsilon_n
 * (c_0 = 0), beta_n and sigma of LDP-UCB. Their client sends the number x . x where the matrix x x'
 * belongs, so that V = S 11', S += x . x + noise. The gradient (x . theta_h - r) x is not clipped
 * and has noise of 2 sigma; zeta = 1/sqrt T (dK/(1000 sqrt T)). Here the authors report theta,
 * which is (V + c_n I)^-1 u. Corrected (rank): V += x x' + W in R^(dK), as LDP-UCB has it, except
 * that V_0 = 0.
 */
#include "core/core.h"
#include "inner.h"
#include "server/server.h"

#include <math.h>
#include <string.h>

typedef struct published_gloc {
    sotto__published common; /* first */
    double sigma_server;
    double slope_min; /* mu_0 */
    double zeta;      /* the step */
    bool blind;       /* the bonus does not use a matrix */
    bool usable;      /* the solver holds V + c_(n-1) I of the next round */
    double all;       /* per-arm: S */
    double *theta_h;  /* theta_count, as is the next */
    double *cross;    /* per-arm: u */
    double *rows;     /* per-arm, corrected: the contexts in R^(dK), one row per arm */
    double *scratch;  /* shared: dim x arms; corrected: theta_count x arms */
    double *form;     /* one per arm */
} published_gloc;

/* theta_h -= zeta (residual x + xi'), x in the block of the chosen arm, xi' of this sd. */
static void step(published_gloc *gloc, double residual, double sd)
{
    sotto__published *self = &gloc->common;
    double *block = gloc->theta_h + (self->shared ? 0 : (size_t)self->arm * self->dim);
    for (uint32_t i = 0; i < self->dim; i++) {
        block[i] -= gloc->zeta * residual * self->x[i];
    }
    sotto__published_add_noise(self, -gloc->zeta * sd, gloc->theta_h, self->theta_count);
}

/* ---- shared ------------------------------------------------------------------------------- */

static double shared_shift(const published_gloc *gloc, double n)
{
    return 2 * sotto__published_upsilon(&gloc->common, gloc->sigma_server, n);
}

static void shared_score(sotto__published *self, const double *context)
{
    published_gloc *gloc = (published_gloc *)self;
    double m = fmax(1, (double)self->n - 1);
    double beta = sqrt(gloc->sigma_server / gloc->slope_min * sqrt(self->dim * m));
    sotto__published_greedy(self, context);
    if (gloc->blind) {
        for (uint32_t a = 0; a < self->arms; a++) {
            self->score[a] += beta * sotto__norm(context + (size_t)a * self->dim, self->dim);
        }
    } else if (gloc->usable) {
        sotto__dense_forms(self->moments.solver, context, self->arms, gloc->scratch, gloc->form);
        for (uint32_t a = 0; a < self->arms; a++) {
            self->score[a] += beta * sqrt(gloc->form[a]);
        }
    }
}

static void shared_learn(sotto__published *self, double reward)
{
    published_gloc *gloc = (published_gloc *)self;
    double n = (double)self->n;
    double product = sotto__dot(self->x, gloc->theta_h, self->dim);
    double mean = sotto__link_mean(self->match->spec.link, fmax(-5, fmin(5, product)));
    sotto__noisy_moments_add(&self->moments, self, 0, self->x, product);
    sotto__noisy_moments_solve(&self->moments, 0, shared_shift(gloc, fmax(1, n - 1)), self->theta);
    step(gloc, mean - reward, self->sigma);
    if (sotto__published_corrects(self, SOTTO_CORRECTION_BOUNDED)) {
        sotto__project(gloc->theta_h, self->dim, 1);
    }
    if (gloc->blind) return;
    gloc->usable =
        sotto__dense_factor(self->moments.solver, self->moments.gram, shared_shift(gloc, n));
}

static const double *shared_estimate(const sotto__published *self)
{
    return ((const published_gloc *)self)->theta_h;
}

/* ---- per-arm ------------------------------------------------------------------------------ */

/* x' (S 11' + c I)^-1 x = (||x||^2 - S (1'x)^2/(c + S dK))/c (Sherman and Morrison). */
static double arms_form(const published_gloc *gloc, const double *x, double c)
{
    const sotto__published *self = &gloc->common;
    double total = 0;
    for (uint32_t i = 0; i < self->dim; i++) {
        total += x[i];
    }
    double along = gloc->all / (c + gloc->all * self->theta_count);
    return (sotto__dot(x, x, self->dim) - along * total * total) / c;
}

static void arms_score(sotto__published *self, const double *context)
{
    const published_gloc *gloc = (const published_gloc *)self;
    double n = (double)self->n;
    sotto__published_greedy(self, context);
    if (self->n == 1) return; /* V + c_0 I = 0 has no inverse */
    double c = 2 * sotto__published_upsilon(self, self->sigma, n - 1);
    double bonus = sotto__published_beta(self, n) * sqrt(arms_form(gloc, context, c));
    for (uint32_t a = 0; a < self->arms; a++) {
        self->score[a] += bonus; /* V has the same entry everywhere, so blocks look alike */
    }
}

/* theta = (S 11' + c I)^-1 u = (u - 1 S (1'u)/(c + S dK))/c. */
static void arms_solve(published_gloc *gloc, double c)
{
    sotto__published *self = &gloc->common;
    double total = 0;
    for (uint32_t i = 0; i < self->theta_count; i++) {
        total += gloc->cross[i];
    }
    double along = gloc->all / (c + gloc->all * self->theta_count) * total;
    for (uint32_t i = 0; i < self->theta_count; i++) {
        self->theta[i] = (gloc->cross[i] - along) / c;
    }
}

static void arms_learn(sotto__published *self, double reward)
{
    published_gloc *gloc = (published_gloc *)self;
    size_t at = (size_t)self->arm * self->dim;
    double product = sotto__dot(self->x, gloc->theta_h + at, self->dim);
    gloc->all += sotto__dot(self->x, self->x, self->dim);
    sotto__published_add_noise(self, self->sigma, &gloc->all, 1);
    sotto__published_add_noise(self, self->sigma, gloc->cross, self->theta_count);
    for (uint32_t i = 0; i < self->dim; i++) {
        gloc->cross[at + i] += product * self->x[i];
    }
    arms_solve(gloc, 2 * sotto__published_upsilon(self, self->sigma, (double)self->n));
    step(gloc, product - reward, 2 * self->sigma);
}

/* ---- per-arm, corrected: rank ------------------------------------------------------------- */

static void ranked_score(sotto__published *self, const double *context)
{
    published_gloc *gloc = (published_gloc *)self;
    double beta = sotto__published_beta(self, (double)self->n);
    sotto__published_greedy(self, context);
    sotto__published_place(self, context, gloc->rows);
    if (!gloc->usable) return; /* in the first round, because V + c_0 I = 0 */
    sotto__dense_forms_of_blocks(self->moments.solver, gloc->rows, self->arms, gloc->scratch,
                                 gloc->form);
    for (uint32_t a = 0; a < self->arms; a++) {
        self->score[a] += beta * sqrt(gloc->form[a]);
    }
}

static void ranked_learn(sotto__published *self, double reward)
{
    published_gloc *gloc = (published_gloc *)self;
    sotto__dense *solver = self->moments.solver;
    size_t at = (size_t)self->arm * self->dim;
    double product = sotto__dot(self->x, gloc->theta_h + at, self->dim);
    const double *x = gloc->rows + (size_t)self->arm * self->theta_count;
    sotto__noisy_moments_add(&self->moments, self, 0, x, product);
    gloc->usable =
        sotto__dense_factor(solver, self->moments.gram,
                            2 * sotto__published_upsilon(self, self->sigma, (double)self->n));
    if (gloc->usable) sotto__dense_solve(solver, self->moments.cross, self->theta);
    step(gloc, product - reward, 2 * self->sigma);
}

/* ---- both --------------------------------------------------------------------------------- */

static const sotto__published_method shared_method = {
    .warms_up = false,
    .score = shared_score,
    .learn = shared_learn,
    .estimate = shared_estimate,
    .struct_bytes = sizeof(published_gloc),
};

static const sotto__published_method arms_method = {
    .warms_up = false,
    .score = arms_score,
    .learn = arms_learn,
    .estimate = sotto__published_theta,
    .struct_bytes = sizeof(published_gloc),
};

static const sotto__published_method ranked_method = {
    .warms_up = false,
    .score = ranked_score,
    .learn = ranked_learn,
    .estimate = sotto__published_theta,
    .struct_bytes = sizeof(published_gloc),
};

static double step_of(const sotto__published *self)
{
    double cells = (double)self->dim * self->arms;
    double factor = !self->scheme2 ? 1 : self->shared ? cells : cells / 1000;
    return factor / sqrt(self->horizon);
}

sotto_status sotto__published_gloc_new(const sotto_match *match, uint64_t seed,
                                       const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    bool ranked = (match->corrections >> SOTTO_CORRECTION_RANK & 1) != 0;
    const sotto__published_method *method = shared   ? &shared_method
                                            : ranked ? &ranked_method
                                                     : &arms_method;
    size_t arms = match->spec.arms, cells = match->spec.dim * arms;
    size_t rows = ranked ? cells * arms : 0, scratch = ranked ? rows : cells;
    sotto__published_room room = {.more_count = 2 * cells + rows + scratch + arms,
                                  .moments_dim = (uint32_t)(shared ? match->spec.dim : cells),
                                  .moments_blocks = method == &arms_method ? 0 : 1};
    sotto__published *self;
    sotto_status status = sotto__published_begin(method, match, seed, room, &self);
    if (status != SOTTO_OK) return status;
    published_gloc *gloc = (published_gloc *)self;
    gloc->theta_h = self->more;
    gloc->cross = gloc->theta_h + cells;
    gloc->rows = gloc->cross + cells;
    gloc->scratch = gloc->rows + rows;
    gloc->form = gloc->scratch + scratch;
    gloc->sigma_server = sotto__published_sigma(match, 3.75);
    gloc->slope_min = sotto__link_slope_min(match->spec.link, 1);
    gloc->zeta = step_of(self);
    gloc->blind = self->scheme2 && !sotto__published_corrects(self, SOTTO_CORRECTION_EXPLORATION);
    sotto__published_direction(self, &self->initial, self->theta_count, gloc->theta_h);
    memcpy(self->theta, gloc->theta_h, self->theta_count * sizeof self->theta[0]);
    if (!self->scheme2) {
        sotto__published_direction(self, &self->initial, self->theta_count, self->theta);
    }
    if (shared) {
        gloc->usable =
            sotto__dense_factor(self->moments.solver, self->moments.gram, shared_shift(gloc, 1));
    }
    *out = &self->player;
    return SOTTO_OK;
}
