/*
 * LDP-OLS as published. c_n = 2 upsilon_n.
 *
 * Shared: V += x x' + W, u += r x + xi;
 *     first scheme   theta_0 = 0, theta = V^-1 u: no shift at all; corrected (regulariser): c_n
 *     second scheme  theta_0 a random direction, theta = (V + c_n I)^-1 u
 *
 * Per-arm, both schemes: theta_a = (V_a + c_n I)^-1 u_a. In warm-up only the assigned arm receives
 * moments and is estimated again; after it every arm is, with moments of 0 for those not pulled and
 * noise for all.
 */
#include "published_moments.h"
#include "published_rows.h"

typedef struct published_ols {
    sotto__published common; /* first */
    sotto__noisy_moments moments;
} published_ols;

static void learn_arm(published_ols *ols, uint32_t arm, double shift, double reward)
{
    sotto__published *self = &ols->common;
    const double *x = arm == self->arm ? self->x : NULL;
    sotto__noisy_moments_add(&ols->moments, self, arm, x, reward);
    sotto__noisy_moments_solve(&ols->moments, arm, shift, self->theta + (size_t)arm * self->dim);
}

static void ols_learn(sotto__published *self, double reward)
{
    published_ols *ols = (published_ols *)self;
    double shift = 2 * sotto__published_upsilon(self, self->sigma, (double)self->n);
    if (self->shared) {
        bool shifts =
            self->scheme2 || sotto__published_corrects(self, SOTTO_CORRECTION_REGULARISER);
        sotto__noisy_moments_add(&ols->moments, self, 0, self->x, reward);
        sotto__noisy_moments_solve(&ols->moments, 0, shifts ? shift : 0, self->theta);
        return;
    }
    if (sotto__published_in_warm_up(self)) {
        learn_arm(ols, self->arm, shift, reward);
        return;
    }
    for (uint32_t a = 0; a < self->arms; a++) {
        learn_arm(ols, a, shift, reward);
    }
}

static void ols_free(sotto__published *self)
{
    sotto__noisy_moments_free(&((published_ols *)self)->moments);
}

static const sotto__published_method method = {
    .warms_up = true,
    .score = sotto__published_greedy,
    .learn = ols_learn,
    .estimate = sotto__published_theta,
    .free = ols_free,
};

sotto_status sotto__published_ols_new(const sotto_match *match, uint64_t seed,
                                      const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    double *more;
    sotto__published *self =
        sotto__published_begin(&method, sizeof(published_ols), match, seed, 0, &more);
    if (self == NULL) return SOTTO_E_MEMORY;
    published_ols *ols = (published_ols *)self;
    sotto_status status =
        sotto__noisy_moments_new(self->dim, self->shared ? 1 : self->arms, &ols->moments);
    if (status != SOTTO_OK) {
        self->player.free(&self->player);
        return status;
    }
    if (self->shared && self->scheme2) {
        sotto__published_direction(self, &self->initial, self->dim, self->theta);
    }
    *out = &self->player;
    return SOTTO_OK;
}
