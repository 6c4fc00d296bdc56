/*
 * LDP-SGD as published.
 *
 * Shared: theta_0 a random direction; v = clip(x . theta, -20, 20), g = (mu(v) - r) x, z from the
 * l2-ball of radius B(d, eps);
 *     first scheme   theta -= (5/n) (z + lambda theta), lambda = 0 (identity) or 0.05
 *     second scheme  theta -= sqrt(K) d/(1000 sqrt n) z
 *     auto loan      theta -= 1/(n + 50) z
 *
 * Per-arm: theta_0 = 0; in warm-up least squares of the assigned arm, shift c_n = 2 upsilon_n;
 * after it g in R^(dK) is 0 except in block a, (x . theta_a - r) x, and z comes from the l2-ball in
 * R^(dK), though of radius B(d, eps), which is too short by about sqrt K;
 *     first scheme   theta_i -= (5K/n) (z_i + 0.05 theta_i)
 *     second scheme  theta_i -= sqrt(K) d/(200 n) z_i
 *
 * Corrected: z estimates gradients up to R = 2 c_r C_B (radius); theta -= (eta0/n) z (step, shared,
 * first scheme); the radius is B(dK, eps) (dimension, per-arm).
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <string.h>

typedef struct published_sgd {
    sotto__published common; /* first; moments are those of the warm-up of per-arm parameters */
    double bound;            /* of the gradients that z estimates: 1, or R */
    double radius;           /* of z */
    double *g, *z;           /* theta_count each */
} published_sgd;

/*
 * xt = s g/||g||, s = +1 with chance 1/2 - ||g||/(2 bound) (0 if ||g|| >= bound), else -1. With
 * chance e^eps/(1 + e^eps) z is uniform on the half of the sphere where z . xt <= 0, else on the
 * other half.
 *
 * The two reversals cancel: E z is along +g. The authors' code draws z in a loop until it is on the
 * right half. Reversing a z on the wrong half gives the same law, and also ends for g = 0, where z
 * is uniform.
 */
void sotto__published_ball(sotto__published *self, const double *g, uint32_t count, double bound,
                           double radius, double *z)
{
    double keep = 1 / (1 + exp(-self->match->spec.epsilon));
    double turn = sotto__uniform(sotto__seeded_next(&self->noise));
    double half = sotto__uniform(sotto__seeded_next(&self->noise));
    double s = turn > 0.5 + sotto__norm(g, count) / (2 * bound) ? 1 : -1;
    sotto__published_direction(self, &self->noise, count, z);
    bool positive = s * sotto__dot(z, g, count) > 0;
    double scale = positive == (half > keep) ? radius : -radius;
    for (uint32_t i = 0; i < count; i++) {
        z[i] *= scale;
    }
}

/* theta -= eta (z + ridge theta). */
static void step(published_sgd *sgd, double eta, double ridge)
{
    double *theta = sgd->common.theta;
    for (uint32_t i = 0; i < sgd->common.theta_count; i++) {
        theta[i] -= eta * (sgd->z[i] + ridge * theta[i]);
    }
}

static void learn_shared(published_sgd *sgd, double reward)
{
    sotto__published *self = &sgd->common;
    sotto_link link = self->match->spec.link;
    double v = fmax(-20, fmin(20, sotto__dot(self->x, self->theta, self->dim)));
    double residual = sotto__link_mean(link, v) - reward, n = (double)self->n;
    for (uint32_t i = 0; i < self->dim; i++) {
        sgd->g[i] = residual * self->x[i];
    }
    sotto__published_ball(self, sgd->g, self->dim, sgd->bound, sgd->radius, sgd->z);
    if (sotto__published_corrects(self, SOTTO_CORRECTION_STEP)) {
        step(sgd, self->match->learning.eta0 / n, 0);
    } else if (self->match->environment.kind == SOTTO_ENVIRONMENT_LOAN) {
        step(sgd, 1 / (n + 50), 0);
    } else if (self->scheme2) {
        step(sgd, sqrt(self->arms) * self->dim / (1000 * sqrt(n)), 0);
    } else {
        step(sgd, 5 / n, link == SOTTO_LINK_IDENTITY ? 0 : 0.05);
    }
}

static void learn_main(published_sgd *sgd, double reward)
{
    sotto__published *self = &sgd->common;
    size_t at = (size_t)self->arm * self->dim;
    double residual = sotto__dot(self->x, self->theta + at, self->dim) - reward;
    double n = (double)self->n;
    memset(sgd->g, 0, self->theta_count * sizeof sgd->g[0]);
    for (uint32_t i = 0; i < self->dim; i++) {
        sgd->g[at + i] = residual * self->x[i];
    }
    sotto__published_ball(self, sgd->g, self->theta_count, sgd->bound, sgd->radius, sgd->z);
    if (self->scheme2) {
        step(sgd, sqrt(self->arms) * self->dim / (200 * n), 0);
    } else {
        step(sgd, 5.0 * self->arms / n, 0.05);
    }
}

static void learn_warm_up(sotto__published *self, double reward)
{
    double shift = 2 * sotto__published_upsilon(self, self->sigma, (double)self->n);
    sotto__noisy_moments_add(&self->moments, self, self->arm, self->x, reward);
    sotto__noisy_moments_solve(&self->moments, self->arm, shift,
                               self->theta + (size_t)self->arm * self->dim);
}

static void sgd_learn(sotto__published *self, double reward)
{
    published_sgd *sgd = (published_sgd *)self;
    if (self->shared) {
        learn_shared(sgd, reward);
    } else if (sotto__published_in_warm_up(self)) {
        learn_warm_up(self, reward);
    } else {
        learn_main(sgd, reward);
    }
}

static const sotto__published_method method = {
    .warms_up = true,
    .score = sotto__published_greedy,
    .learn = sgd_learn,
    .estimate = sotto__published_theta,
    .struct_bytes = sizeof(published_sgd),
};

/* R = 2 c_r C_B of the paper: the longest gradient where mean and reward are within [-c_r, c_r]. */
static double bound_of(const sotto__published *self)
{
    const sotto_spec *spec = &self->match->spec;
    if (!sotto__published_corrects(self, SOTTO_CORRECTION_RADIUS)) return 1;
    return 2 * fmax(fabs(spec->reward_lo), fabs(spec->reward_hi)) * spec->context_norm_max;
}

sotto_status sotto__published_sgd_new(const sotto_match *match, uint64_t seed,
                                      const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    size_t cells = (size_t)match->spec.dim * match->spec.arms;
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__published_room room = {.more_count = 2 * cells,
                                  .moments_dim = match->spec.dim,
                                  .moments_blocks = shared ? 0 : match->spec.arms};
    sotto__published *self;
    sotto_status status = sotto__published_begin(&method, match, seed, room, &self);
    if (status != SOTTO_OK) return status;
    published_sgd *sgd = (published_sgd *)self;
    sgd->g = self->more;
    sgd->z = self->more + cells;
    bool whole = sotto__published_corrects(self, SOTTO_CORRECTION_DIMENSION);
    uint32_t count = whole ? self->theta_count : self->dim;
    sgd->bound = bound_of(self);
    sgd->radius = sgd->bound * sotto_l2ball_radius(count, match->spec.epsilon);
    if (shared) sotto__published_direction(self, &self->initial, self->dim, self->theta);
    *out = &self->player;
    return SOTTO_OK;
}
