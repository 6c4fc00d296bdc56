#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== published ============================================================================== */

/* The authors' code as a player: what its methods share. */

double sotto__published_sigma(const sotto_match *match, double k)
{
    return 6 * sqrt(2 * log(k / match->delta)) / match->spec.epsilon;
}

double sotto__published_upsilon(const sotto__published *self, double sigma, double n)
{
    return sigma * sqrt(n) * self->spread;
}

double sotto__published_beta(const sotto__published *self, double n)
{
    double d = self->dim, log_horizon = log(self->horizon);
    double upsilon = sotto__published_upsilon(self, self->sigma, n);
    return 2 * self->sigma * sqrt(d * log_horizon) +
           (sqrt(3 * upsilon) + self->sigma * sqrt(d * n / upsilon)) * d * log_horizon;
}

bool sotto__published_in_warm_up(const sotto__published *self)
{
    return self->method->warms_up && !self->shared && self->n <= self->match->learning.warm_up;
}

/* The context of an arm: its own, or the one that all arms share. */
static const double *context_of(const sotto__published *self, const double *context, uint32_t arm)
{
    return self->shared ? context + (size_t)arm * self->dim : context;
}

void sotto__published_place(const sotto__published *self, const double *context, double *rows)
{
    for (uint32_t a = 0; a < self->arms; a++) {
        memcpy(rows + (size_t)a * (self->theta_count + self->dim), context,
               self->dim * sizeof context[0]);
    }
}

void sotto__published_greedy(sotto__published *self, const double *context)
{
    const double *rows = self->shared ? context : self->theta;
    const double *column = self->shared ? self->theta : context;
    sotto__rows_dot(rows, column, self->arms, self->dim, self->score);
}

uint32_t sotto__published_argmax(const double *score, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++) {
        if (isnan(score[a])) return a;
    }
    return sotto__largest(score, count);
}

void sotto__published_add_noise(sotto__published *self, double sd, double *out, uint32_t count)
{
    sotto__add_normals(&self->ziggurat, &self->noise, sd, out, count);
}

void sotto__published_direction(const sotto__published *self, sotto__seeded *stream, uint32_t count,
                                double *out)
{
    sotto__normals(&self->ziggurat, stream, out, count);
    double norm = sotto__norm(out, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] /= norm;
    }
}

const double *sotto__published_theta(const sotto__published *self)
{
    return self->theta;
}

static sotto_status published_decide(sotto__player *player, const double *context, uint32_t *arm)
{
    sotto__published *self = (sotto__published *)player;
    self->n++;
    if (sotto__published_in_warm_up(self)) {
        self->arm = (uint32_t)((self->n - 1) % self->arms);
    } else {
        self->method->score(self, context);
        self->arm = sotto__published_argmax(self->score, self->arms);
    }
    memcpy(self->x, context_of(self, context, self->arm), self->dim * sizeof self->x[0]);
    *arm = self->arm;
    return SOTTO_OK;
}

static sotto_status published_learn(sotto__player *player, double reward)
{
    sotto__published *self = (sotto__published *)player;
    /* The exact noise assumes rewards within [-1, 1]. */
    if (sotto__published_corrects(self, SOTTO_CORRECTION_NOISE)) reward = fmax(-1, fmin(1, reward));
    self->method->learn(self, reward);
    return SOTTO_OK;
}

static const double *published_estimate(const sotto__player *player)
{
    const sotto__published *self = (const sotto__published *)player;
    return self->method->estimate(self);
}

static void published_free(sotto__player *player)
{
    sotto__published *self = (sotto__published *)player;
    sotto__noisy_moments_free(&self->moments);
    free(self->memory);
    free(self);
}

static const sotto__player functions = {
    .decide = published_decide,
    .learn = published_learn,
    .estimate = published_estimate,
    .repairs = sotto__player_no_repairs,
    .free = published_free,
};

/* Corrected: the smallest sigma for (epsilon, delta) at the diameter sqrt 4.5 of (x x', r x), where
 * ||x|| <= 1 and |r| <= 1. Off-diagonal entries count twice in the diameter, although they are sent
 * once. */
static double sigma_of(const sotto__published *self)
{
    if (!sotto__published_corrects(self, SOTTO_CORRECTION_NOISE)) {
        /* The authors' auto-loan study has half the sigma of their other studies. */
        bool loan = self->match->environment.kind == SOTTO_ENVIRONMENT_LOAN;
        return sotto__published_sigma(self->match, 2.5) / (loan ? 2 : 1);
    }
    return sotto_gaussian_sigma(self->match->spec.epsilon, self->match->delta, sqrt(4.5));
}

sotto_status sotto__published_begin(const sotto__published_method *method, const sotto_match *match,
                                    uint64_t seed, sotto__published_room room,
                                    sotto__published **out)
{
    const sotto_spec *spec = &match->spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    size_t theta_count = (size_t)spec->dim * (shared ? 1 : spec->arms);
    sotto_status status = SOTTO_OK;
    *out = NULL;
    sotto__published *self = calloc(1, method->struct_bytes);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->memory = calloc(spec->dim + spec->arms + theta_count + room.more_count, sizeof(double));
    if (self->memory == NULL) status = SOTTO_E_MEMORY;
    if (status == SOTTO_OK && room.moments_blocks > 0) {
        status = sotto__noisy_moments_new(room.moments_dim, room.moments_blocks, &self->moments);
    }
    if (status != SOTTO_OK) {
        published_free(&self->player);
        return status;
    }
    self->player = functions;
    self->method = method;
    self->match = match;
    self->shared = shared;
    self->scheme2 = match->learning.step == SOTTO_STEP_SQRT;
    self->dim = spec->dim;
    self->arms = spec->arms;
    self->theta_count = (uint32_t)theta_count; /* at most SOTTO_CELLS_MAX */
    self->horizon = (double)match->horizon;
    self->sigma = sigma_of(self);
    self->spread = 4 * sqrt(spec->dim) + 2 * log(2 * self->horizon / match->learning.alpha);
    self->x = self->memory;
    self->score = self->x + spec->dim;
    self->theta = self->score + spec->arms;
    self->more = self->theta + theta_count;
    sotto__ziggurat_begin(&self->ziggurat);
    sotto__stream_begin(&self->initial, seed, SOTTO__PURPOSE_INITIAL);
    sotto__stream_begin(&self->noise, seed, SOTTO__PURPOSE_PRIVACY);
    *out = self;
    return SOTTO_OK;
}

/* ==== published moments ====================================================================== */

/* Sums of noisy moments, and least squares on them, as the authors' code has them. */

sotto_status sotto__noisy_moments_new(uint32_t dim, uint32_t blocks, sotto__noisy_moments *out)
{
    *out = (sotto__noisy_moments){.dim = dim, .blocks = blocks};
    sotto_status status = sotto__dense_new(dim, &out->solver);
    if (status != SOTTO_OK) return status;
    size_t gram_count = (size_t)blocks * sotto__tri_count(dim);
    out->memory = calloc(gram_count + (size_t)blocks * dim, sizeof out->memory[0]);
    if (out->memory == NULL) {
        sotto__noisy_moments_free(out);
        return SOTTO_E_MEMORY;
    }
    out->gram = out->memory;
    out->cross = out->gram + gram_count;
    return SOTTO_OK;
}

void sotto__noisy_moments_free(sotto__noisy_moments *moments)
{
    sotto__dense_free(moments->solver);
    free(moments->memory);
    *moments = (sotto__noisy_moments){0};
}

static double *gram_of(const sotto__noisy_moments *moments, uint32_t block)
{
    return moments->gram + (size_t)block * sotto__tri_count(moments->dim);
}

void sotto__noisy_moments_add(sotto__noisy_moments *moments, sotto__published *self, uint32_t block,
                              const double *x, double weight)
{
    uint32_t dim = moments->dim;
    double *gram = gram_of(moments, block);
    double *cross = moments->cross + (size_t)block * dim;
    sotto__published_add_noise(self, self->sigma, gram, sotto__tri_count(dim));
    sotto__published_add_noise(self, self->sigma, cross, dim);
    if (x == NULL) return;
    sotto__add_outer(gram, x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        cross[i] += weight * x[i];
    }
}

void sotto__noisy_moments_solve(sotto__noisy_moments *moments, uint32_t block, double shift,
                                double *theta)
{
    const double *gram = gram_of(moments, block);
    if (!sotto__dense_factor(moments->solver, gram, shift)) return;
    sotto__dense_solve(moments->solver, moments->cross + (size_t)block * moments->dim, theta);
}

/* ==== published ols ========================================================================== */

/*
 * LDP-OLS as published. c_n = 2 upsilon_n.
 *
 * Shared: V += x x' + W, u += r x + xi;
 *     first scheme   theta_0 = 0, theta = V^-1 u: no shift at all; corrected (regulariser): c_n
 *     second scheme  theta_0 a random direction, theta = (V + c_n I)^-1 u
 *
 * Per-arm, both schemes: theta_a = (V_a + c_n I)^-1 u_a. During warm-up only the assigned arm
 * receives moments and is estimated again. After warm-up every arm is, with noise for all arms and
 * moments of 0 for those not pulled.
 */

static void learn_arm(sotto__published *self, uint32_t arm, double shift, double reward)
{
    const double *x = arm == self->arm ? self->x : NULL;
    sotto__noisy_moments_add(&self->moments, self, arm, x, reward);
    sotto__noisy_moments_solve(&self->moments, arm, shift, self->theta + (size_t)arm * self->dim);
}

static void ols_learn(sotto__published *self, double reward)
{
    double shift = 2 * sotto__published_upsilon(self, self->sigma, (double)self->n);
    if (self->shared) {
        bool shifts =
            self->scheme2 || sotto__published_corrects(self, SOTTO_CORRECTION_REGULARISER);
        sotto__noisy_moments_add(&self->moments, self, 0, self->x, reward);
        sotto__noisy_moments_solve(&self->moments, 0, shifts ? shift : 0, self->theta);
        return;
    }
    if (sotto__published_in_warm_up(self)) {
        learn_arm(self, self->arm, shift, reward);
        return;
    }
    for (uint32_t a = 0; a < self->arms; a++) {
        learn_arm(self, a, shift, reward);
    }
}

static const sotto__published_method method = {
    .warms_up = true,
    .score = sotto__published_greedy,
    .learn = ols_learn,
    .estimate = sotto__published_theta,
    .struct_bytes = sizeof(sotto__published),
};

sotto_status sotto__published_ols_new(const sotto_match *match, uint64_t seed,
                                      const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__published_room room = {.moments_dim = match->spec.dim,
                                  .moments_blocks = shared ? 1 : match->spec.arms};
    sotto__published *self;
    sotto_status status = sotto__published_begin(&method, match, seed, room, &self);
    if (status != SOTTO_OK) return status;
    if (self->shared && self->scheme2) {
        sotto__published_direction(self, &self->initial, self->dim, self->theta);
    }
    *out = &self->player;
    return SOTTO_OK;
}
