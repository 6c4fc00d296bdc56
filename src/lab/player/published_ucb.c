/*
 * LDP-UCB (Zheng et al. 2020) as published: V_0 = I, V += x x' + W, u += r x + xi; the arm of round
 * n is argmax x . theta + beta sqrt(x' (V + c_(n-1) I)^-1 x). A negative form is NaN, and the first
 * NaN is the largest.
 *
 * Shared: c_n = 2 upsilon_n, in the second scheme 0.2 upsilon_n, c_0 = c_1; beta = beta_(n-1),
 * beta_0 = beta_1; theta = (V + c_(n-1) I)^-1 u, behind by a round; theta_0 = 0, in the second
 * scheme a random direction. Corrected (shift): 2 upsilon_n in both.
 *
 * Per-arm: in R^(dK), where the context of arm a is x in block a and 0 elsewhere, with noise on
 * every entry; upsilon and beta with d; c_n = 2 upsilon_n, c_0 = 0; beta = beta_n;
 * theta = (V + c_n I)^-1 u; theta_0 a random direction.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>

typedef struct published_ucb {
    sotto__published common; /* first */
    bool usable;             /* the solver holds V + c_(n-1) I of the next round */
    double *rows;            /* per-arm: the contexts in R^(dK), one row per arm */
    double *scratch;         /* theta_count x arms */
    double *form;            /* one per arm */
} published_ucb;

static double shift_of(const sotto__published *self, double n)
{
    bool small =
        self->shared && self->scheme2 && !sotto__published_corrects(self, SOTTO_CORRECTION_SHIFT);
    return (small ? 0.2 : 2) * sotto__published_upsilon(self, self->sigma, n);
}

/* The contexts as they stand in the method's own space, one row per arm. */
static const double *place_contexts(published_ucb *ucb, const double *context)
{
    const sotto__published *self = &ucb->common;
    if (self->shared) return context;
    sotto__published_place(self, context, ucb->rows);
    return ucb->rows;
}

static void ucb_score(sotto__published *self, const double *context)
{
    published_ucb *ucb = (published_ucb *)self;
    const double *rows = place_contexts(ucb, context);
    double n = (double)self->n;
    double beta = sotto__published_beta(self, self->shared ? fmax(1, n - 1) : n);
    sotto__rows_dot(rows, self->theta, self->arms, self->theta_count, self->score);
    if (!ucb->usable) return;
    (self->shared ? sotto__dense_forms : sotto__dense_forms_of_blocks)(
        self->moments.solver, rows, self->arms, ucb->scratch, ucb->form);
    for (uint32_t a = 0; a < self->arms; a++) {
        self->score[a] += beta * sqrt(ucb->form[a]);
    }
}

static void ucb_learn(sotto__published *self, double reward)
{
    published_ucb *ucb = (published_ucb *)self;
    sotto__dense *solver = self->moments.solver;
    const double *gram = self->moments.gram;
    const double *x = self->shared ? self->x : ucb->rows + (size_t)self->arm * self->theta_count;
    double n = (double)self->n;
    sotto__noisy_moments_add(&self->moments, self, 0, x, reward);
    if (self->shared) {
        sotto__noisy_moments_solve(&self->moments, 0, shift_of(self, fmax(1, n - 1)), self->theta);
        ucb->usable = sotto__dense_factor(solver, gram, shift_of(self, n));
        return;
    }
    ucb->usable = sotto__dense_factor(solver, gram, shift_of(self, n));
    if (ucb->usable) sotto__dense_solve(solver, self->moments.cross, self->theta);
}

static const sotto__published_method method = {
    .warms_up = false,
    .score = ucb_score,
    .learn = ucb_learn,
    .estimate = sotto__published_theta,
    .struct_bytes = sizeof(published_ucb),
};

sotto_status sotto__published_ucb_new(const sotto_match *match, uint64_t seed,
                                      const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    size_t arms = match->spec.arms, cells = match->spec.dim * arms;
    size_t rows = shared ? 0 : cells * arms, scratch = shared ? cells : cells * arms;
    sotto__published_room room = {.more_count = rows + scratch + arms,
                                  .moments_dim = (uint32_t)(shared ? match->spec.dim : cells),
                                  .moments_blocks = 1};
    sotto__published *self;
    sotto_status status = sotto__published_begin(&method, match, seed, room, &self);
    if (status != SOTTO_OK) return status;
    published_ucb *ucb = (published_ucb *)self;
    ucb->rows = self->more;
    ucb->scratch = ucb->rows + rows;
    ucb->form = ucb->scratch + scratch;
    for (uint32_t i = 0; i < self->theta_count; i++) {
        self->moments.gram[sotto__tri_count(i) + i] = 1;
    }
    ucb->usable = sotto__dense_factor(self->moments.solver, self->moments.gram,
                                      self->shared ? shift_of(self, 1) : 0);
    if (!self->shared || self->scheme2) {
        sotto__published_direction(self, &self->initial, self->theta_count, self->theta);
    }
    *out = &self->player;
    return SOTTO_OK;
}
