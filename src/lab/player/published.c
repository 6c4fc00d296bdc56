/* The authors' code as a player: what its methods share. */
#include "published.h"
#include "core/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

const double *sotto__published_context(const sotto__published *self, const double *context,
                                       uint32_t arm)
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
    memcpy(self->x, sotto__published_context(self, context, self->arm),
           self->dim * sizeof self->x[0]);
    *arm = self->arm;
    return SOTTO_OK;
}

static sotto_status published_learn(sotto__player *player, double reward)
{
    sotto__published *self = (sotto__published *)player;
    /* Exact noise is that of rewards within [-1, 1]. */
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
    self->method->free(self);
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

/* Corrected: the smallest for (epsilon, delta) at the diameter sqrt 4.5 of (x x', r x), where
 * ||x|| <= 1 and |r| <= 1. Off-diagonal entries count twice in it, though they are sent once. */
static double sigma_of(const sotto__published *self)
{
    if (!sotto__published_corrects(self, SOTTO_CORRECTION_NOISE)) {
        /* Their auto-loan study has half of what their other studies have. */
        bool loan = self->match->environment.kind == SOTTO_ENVIRONMENT_LOAN;
        return sotto__published_sigma(self->match, 2.5) / (loan ? 2 : 1);
    }
    return sotto_gaussian_sigma(self->match->spec.epsilon, self->match->delta, sqrt(4.5));
}

sotto__published *sotto__published_begin(const sotto__published_method *method, size_t struct_bytes,
                                         const sotto_match *match, uint64_t seed, size_t more_count,
                                         double **more)
{
    const sotto_spec *spec = &match->spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    size_t theta_count = (size_t)spec->dim * (shared ? 1 : spec->arms);
    sotto__published *self = calloc(1, struct_bytes);
    double *memory = calloc(spec->dim + spec->arms + theta_count + more_count, sizeof(double));
    if (self == NULL || memory == NULL) {
        free(self);
        free(memory);
        return NULL;
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
    self->memory = memory;
    self->x = memory;
    self->score = self->x + spec->dim;
    self->theta = self->score + spec->arms;
    *more = self->theta + theta_count;
    sotto__ziggurat_begin(&self->ziggurat);
    sotto__stream_begin(&self->initial, seed, SOTTO__PURPOSE_INITIAL);
    sotto__stream_begin(&self->noise, seed, SOTTO__PURPOSE_PRIVACY);
    return self;
}
