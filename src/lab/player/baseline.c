/*
 * Players without privacy. The cost of privacy is measured against them. Shared parameters have one
 * block (V, u, theta), per-arm parameters one per arm. Contexts and rewards are clipped as on a
 * device; until something is learnt the arm is uniformly random; the first arm wins a tie.
 *
 *   ols      V = I/D^2 + sum x x', u = sum r x, theta = V^-1 u; argmax x . theta
 *   linucb   the same; argmax x . theta + alpha sqrt(x' V^-1 x), alpha = 1 (Li et al. 2010)
 *   sgd      theta -= eta_s (mu(x . theta) - r) x, eta_s = eta0/s or eta0/sqrt(s), s = updates
 *   glm      greedy; theta -= g V^-1 x, V += mu'(z) x x', V_0 = I/D^2; theta kept within D, where
 *            g = mu(z) - r at the new product z = x . theta, which solves z = z_0 - (x' V^-1 x) g
 *   glm-ucb  V += mu'(x . theta) x x', V_0 = I/D^2; theta -= V^-1 (mu(x . theta) - r) x, kept
 *            within D; bonus as linucb
 *   random   a uniformly random arm
 *   oracle   argmax of the true means
 *
 * With worths: argmax of worth_a mu(e), where e is the expression after argmax above.
 *
 * glm-ucb is the online Newton step on the log-likelihood. Weighting by the slope makes V the
 * matrix of second derivatives, so the step needs no constant of its own. (With plain x x' it would
 * have to be divided by zeta, the smallest slope, and would be too long wherever the slope is
 * larger.) Under the identity link it is linucb. Within D no slope is below zeta, so no step
 * diverges.
 *
 * If D is large, as with prices, that step overshoots: where the link is flat V hardly grows, so
 * one surprising reward moves theta to the bound. glm takes the implicit step, the minimum of the
 * new loss and of the distance to the old theta by V (Faury, Abeille, Jun and Calauzenes 2022),
 * which cannot overshoot for any D. Under the identity link it is ols, kept within D.
 */
#include "client/client.h"
#include "core/core.h"
#include "lab/math/math.h"
#include "player.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 1.0
#define HALVINGS 100 /* of the interval that holds a product: down to the last digits */

typedef struct baseline baseline;

typedef struct baseline_rule {
    uint32_t (*choose)(baseline *self);
    void (*update)(baseline *self, uint32_t block, const double *x, double reward);
    double alpha; /* width of the bonus; 0: greedy */
} baseline_rule;

struct baseline {
    sotto__player player; /* first, so that a pointer to it is a pointer to the whole */
    const baseline_rule *rule;
    const sotto_match *match;
    const sotto__world *world; /* only for the oracle */
    sotto__seeded coins;
    bool shared;
    uint32_t context_count, theta_count, arm;
    uint64_t *updates; /* one per block */
    double *context;   /* clipped */
    double *theta;     /* one row per block */
    double *cross;     /* likewise: u */
    double *factor;    /* of V, packed, one per block */
    double *score;     /* one per arm: what is compared */
    double *scratch;   /* dim */
    double *memory;
};

/* ---- deciding ----------------------------------------------------------------------------- */

static uint32_t choose_random(baseline *self)
{
    return (uint32_t)(sotto__uniform(sotto__seeded_next(&self->coins)) * self->match->spec.arms);
}

static uint32_t choose_oracle(baseline *self)
{
    return sotto__largest(self->world->value, self->match->spec.arms);
}

static double score_of(const baseline *self, uint32_t arm)
{
    uint32_t dim = self->match->spec.dim, block = self->shared ? 0 : arm;
    const double *x = self->context + (self->shared ? (size_t)arm * dim : 0);
    const double *factor = self->factor + (size_t)block * sotto__tri_count(dim);
    double score = sotto__dot(x, self->theta + (size_t)block * dim, dim);
    double alpha = self->rule->alpha;
    if (alpha == 0) return score;
    return score + alpha * sqrt(sotto__inverse_form(factor, x, self->scratch, dim));
}

static uint32_t choose_best(baseline *self)
{
    if (sotto__norm(self->theta, self->theta_count) == 0) return choose_random(self);
    const double *worth = self->match->worth;
    for (uint32_t a = 0; a < self->match->spec.arms; a++) {
        double score = score_of(self, a);
        if (worth != NULL) score = worth[a] * sotto__link_mean(self->match->spec.link, score);
        self->score[a] = score;
    }
    return sotto__largest(self->score, self->match->spec.arms);
}

/* ---- learning ----------------------------------------------------------------------------- */

static void add_square(baseline *self, uint32_t block, const double *x, double weight)
{
    uint32_t dim = self->match->spec.dim;
    for (uint32_t i = 0; i < dim; i++) {
        self->scratch[i] = sqrt(weight) * x[i];
    }
    sotto__cholesky_update(self->factor + (size_t)block * sotto__tri_count(dim), self->scratch,
                           dim);
}

static void update_least_squares(baseline *self, uint32_t block, const double *x, double reward)
{
    uint32_t dim = self->match->spec.dim;
    double *cross = self->cross + (size_t)block * dim;
    add_square(self, block, x, 1);
    for (uint32_t i = 0; i < dim; i++) {
        cross[i] += reward * x[i];
    }
    sotto__cholesky_solve(self->factor + (size_t)block * sotto__tri_count(dim), cross,
                          self->theta + (size_t)block * dim, dim);
}

static double residual_of(const baseline *self, uint32_t block, const double *x, double reward)
{
    const sotto_spec *spec = &self->match->spec;
    double product = sotto__dot(x, self->theta + (size_t)block * spec->dim, spec->dim);
    return sotto__link_mean(spec->link, product) - reward;
}

static void update_sgd(baseline *self, uint32_t block, const double *x, double reward)
{
    const sotto_spec *spec = &self->match->spec;
    const sotto_learning *learning = &self->match->learning;
    double *theta = self->theta + (size_t)block * spec->dim;
    double s = (double)++self->updates[block];
    double step = learning->eta0 / (learning->step == SOTTO_STEP_SQRT ? sqrt(s) : s);
    double length = step * residual_of(self, block, x, reward);
    for (uint32_t i = 0; i < spec->dim; i++) {
        theta[i] -= length * x[i];
    }
    if (learning->project) sotto__project(theta, spec->dim, spec->theta_norm_max);
}

static void update_newton(baseline *self, uint32_t block, const double *x, double reward)
{
    const sotto_spec *spec = &self->match->spec;
    uint32_t dim = spec->dim;
    double *theta = self->theta + (size_t)block * dim;
    double residual = residual_of(self, block, x, reward);
    add_square(self, block, x, sotto__link_slope(spec->link, sotto__dot(x, theta, dim)));
    sotto__cholesky_solve(self->factor + (size_t)block * sotto__tri_count(dim), x, self->scratch,
                          dim);
    for (uint32_t i = 0; i < dim; i++) {
        theta[i] -= residual * self->scratch[i];
    }
    sotto__project(theta, dim, spec->theta_norm_max);
}

/* Finds z between z_0 and z_0 - q (mu(z_0) - r), where z - z_0 + q (mu(z) - r), which grows with z,
 * changes sign. */
static double implicit_product(sotto_link link, double product, double form, double reward)
{
    double other = product - form * (sotto__link_mean(link, product) - reward);
    double lo = fmin(product, other), hi = fmax(product, other);
    for (int i = 0; i < HALVINGS; i++) {
        double z = (lo + hi) / 2;
        bool beyond = z - product + form * (sotto__link_mean(link, z) - reward) > 0;
        *(beyond ? &hi : &lo) = z;
    }
    return (lo + hi) / 2;
}

static void update_implicit(baseline *self, uint32_t block, const double *x, double reward)
{
    const sotto_spec *spec = &self->match->spec;
    uint32_t dim = spec->dim;
    double *theta = self->theta + (size_t)block * dim;
    const double *factor = self->factor + (size_t)block * sotto__tri_count(dim);
    sotto__cholesky_solve(factor, x, self->scratch, dim);
    double product = sotto__dot(x, theta, dim), form = sotto__dot(x, self->scratch, dim);
    if (form == 0) return; /* x = 0 */
    double z = implicit_product(spec->link, product, form, reward);
    for (uint32_t i = 0; i < dim; i++) {
        theta[i] -= (product - z) / form * self->scratch[i]; /* g, whatever digits mu(z) - r lost */
    }
    add_square(self, block, x, sotto__link_slope(spec->link, z));
    sotto__project(theta, dim, spec->theta_norm_max);
}

static void update_nothing(baseline *self, uint32_t block, const double *x, double reward)
{
    (void)self;
    (void)block;
    (void)x;
    (void)reward;
}

static const baseline_rule rules[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_OLS] = {.choose = choose_best, .update = update_least_squares},
    [SOTTO_PLAYER_LINUCB] = {.choose = choose_best, .update = update_least_squares, .alpha = ALPHA},
    [SOTTO_PLAYER_SGD] = {.choose = choose_best, .update = update_sgd},
    [SOTTO_PLAYER_GLM] = {.choose = choose_best, .update = update_implicit},
    [SOTTO_PLAYER_GLM_UCB] = {.choose = choose_best, .update = update_newton, .alpha = ALPHA},
    [SOTTO_PLAYER_RANDOM] = {.choose = choose_random, .update = update_nothing},
    [SOTTO_PLAYER_ORACLE] = {.choose = choose_oracle, .update = update_nothing},
};

/* ---- the player --------------------------------------------------------------------------- */

static sotto_status baseline_decide(sotto__player *player, const double *context, uint32_t *arm)
{
    baseline *self = (baseline *)player;
    const sotto_spec *spec = &self->match->spec;
    sotto__clip_rows(context, self->context_count / spec->dim, spec->dim, spec->context_norm_max,
                     self->context);
    self->arm = self->rule->choose(self);
    *arm = self->arm;
    return SOTTO_OK;
}

static sotto_status baseline_learn(sotto__player *player, double reward)
{
    baseline *self = (baseline *)player;
    const sotto_spec *spec = &self->match->spec;
    const double *x = self->context + (self->shared ? (size_t)self->arm * spec->dim : 0);
    self->rule->update(self, self->shared ? 0 : self->arm, x, sotto__clip_reward(spec, reward));
    return SOTTO_OK;
}

/* A report without privacy: the clipped reward, followed by the context of the arm. */
typedef struct plain_report {
    double reward;
    uint32_t arm;
} plain_report;

static sotto_status baseline_send(sotto__player *player, double reward, void *sent)
{
    const baseline *self = (const baseline *)player;
    const sotto_spec *spec = &self->match->spec;
    const double *x = self->context + (self->shared ? (size_t)self->arm * spec->dim : 0);
    plain_report *to = sent;
    *to = (plain_report){sotto__clip_reward(spec, reward), self->arm};
    memcpy(to + 1, x, spec->dim * sizeof x[0]);
    return SOTTO_OK;
}

static sotto_status baseline_receive(sotto__player *player, const void *sent, double now_ms)
{
    (void)now_ms;
    baseline *self = (baseline *)player;
    const plain_report *from = sent;
    self->rule->update(self, self->shared ? 0 : from->arm, (const double *)(from + 1),
                       from->reward);
    return SOTTO_OK;
}

static const double *baseline_estimate(const sotto__player *player)
{
    const baseline *self = (const baseline *)player;
    return self->rule->choose == choose_oracle ? self->world->theta : self->theta;
}

static void baseline_free(sotto__player *player)
{
    baseline *self = (baseline *)player;
    free(self->updates);
    free(self->memory);
    free(self);
}

static const sotto__player functions = {
    .decide = baseline_decide,
    .learn = baseline_learn,
    .estimate = baseline_estimate,
    .repairs = sotto__player_no_repairs,
    .free = baseline_free,
    .send = baseline_send,
    .receive = baseline_receive,
};

/* V = I/D^2 in every block: the only prior knowledge is that no parameter is longer than D. */
static void set_factors(baseline *self, uint32_t blocks)
{
    uint32_t dim = self->match->spec.dim;
    for (uint32_t at = 0; at < blocks * dim; at++) {
        uint32_t block = at / dim, i = at % dim;
        self->factor[(size_t)block * sotto__tri_count(dim) + sotto__tri_count(i) + i] =
            1 / self->match->spec.theta_norm_max;
    }
}

sotto_status sotto__player_baseline_new(const sotto_match *match, uint64_t seed,
                                        const sotto__world *world, sotto__player **out)
{
    *out = NULL;
    const sotto_spec *spec = &match->spec;
    const baseline_rule *row = &rules[match->player];
    if (row->choose == NULL) return SOTTO_E_FAULT;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t blocks = shared ? 1 : spec->arms;
    uint32_t context_count = spec->dim * (shared ? spec->arms : 1);
    uint32_t theta_count = spec->dim * blocks;
    size_t factor_count = (size_t)blocks * sotto__tri_count(spec->dim);

    baseline *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->updates = calloc(blocks, sizeof self->updates[0]);
    self->memory = calloc(context_count + 2 * theta_count + spec->arms + spec->dim + factor_count,
                          sizeof self->memory[0]);
    if (self->updates == NULL || self->memory == NULL) {
        baseline_free(&self->player);
        return SOTTO_E_MEMORY;
    }
    self->player = functions;
    self->player.sent_bytes = sizeof(plain_report) + spec->dim * sizeof(double);
    self->rule = row;
    self->match = match;
    self->world = world;
    self->shared = shared;
    self->context_count = context_count;
    self->theta_count = theta_count;
    self->context = self->memory;
    self->theta = self->context + context_count;
    self->cross = self->theta + theta_count;
    self->score = self->cross + theta_count;
    self->scratch = self->score + spec->arms;
    self->factor = self->scratch + spec->dim;
    sotto__stream_begin(&self->coins, seed, SOTTO__PURPOSE_PRIVACY);
    set_factors(self, blocks);
    *out = &self->player;
    return SOTTO_OK;
}
