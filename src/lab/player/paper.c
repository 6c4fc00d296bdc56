/*
 * The constants printed in the paper, for comparison, with
 * sigma(eps, delta) = 2 sqrt(2 ln(1.25/delta))/eps:
 *
 *   moments    N(0, (2 C_B sigma)^2) on each entry of x x' on and below the diagonal, mirrored, and
 *              N(0, (C_B c_r sigma)^2) on each of r x; ldp-gloc has e x, |e| <= 2 c_r, for r x, and
 *              so 2 c_r for c_r
 *   gradients  the l2-ball of Lemma 2.2, R = 2 c_r C_B
 *
 * Per-arm parameters (Algorithm 2): during warm-up arm (t - 1) mod K is pulled and its statistic is
 * released at (eps, delta). After warm-up the statistics of all arms are released, each at (eps/2,
 * delta/2); arms that were not pulled have the statistic of (0, 0).
 *
 * The shipping code decides, scores and estimates, with one report per epoch. For the noise of the
 * matrix, the shift and the confidence width of the paper's least squares use plain sigma
 * (Theorem 3.1), or sigma(eps/2, delta/2) for per-arm parameters (Theorem 4.1).
 */
#include "client/client.h"
#include "core/core.h"
#include "lab/mechanism/mechanism.h"
#include "player.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct paper {
    sotto__player player; /* first, so that a pointer to it is a pointer to the whole */
    const sotto_match *match;
    sotto_terms terms;
    sotto__score_function *score;
    sotto__estimator *estimator;
    sotto_model *model;
    sotto__ziggurat ziggurat;
    sotto__seeded noise;
    sotto_mechanism *ball[2]; /* ldp-sgd: at eps, and at eps/2 */
    double sigma[2];          /* of moments: likewise */
    bool shared;
    uint32_t rows;      /* 1, or one per arm */
    uint32_t statistic; /* numbers of a row */
    uint32_t context_count, theta_count, arm;
    uint64_t *arm_count; /* rows */
    double *context;     /* clipped */
    double *v;           /* statistic: of the chosen arm */
    double *zero;        /* statistic: that of (0, 0) */
    double *sum;         /* rows x statistic: what is released */
    double *predicted;   /* theta_count: M theta_h of ldp-gloc */
    double *scratch;     /* sotto__decide_doubles */
    double *memory;
} paper;

enum { FULL, HALF };

/* ---- releasing ---------------------------------------------------------------------------- */

/* The statistic holds the entries of x x' below the diagonal times sqrt 2. */
static void release_moments(paper *self, const double *v, int share, double *out)
{
    const sotto_spec *spec = &self->terms.spec;
    double bound = spec->context_norm_max;
    double factor = spec->score == SOTTO_SCORE_GLOC_PAIR ? 2 : 1;
    double matrix = 2 * bound * self->sigma[share];
    double vector = bound * factor * sotto__reward_bound(spec) * self->sigma[share];
    uint32_t at = 0;
    for (uint32_t i = 0; i < spec->dim; i++) {
        for (uint32_t j = 0; j <= i; j++, at++) {
            double sd = j < i ? sqrt(2) * matrix : matrix;
            out[at] = v[at] + sd * sotto__normal(&self->ziggurat, &self->noise);
        }
    }
    for (; at < self->statistic; at++) {
        out[at] = v[at] + vector * sotto__normal(&self->ziggurat, &self->noise);
    }
}

/* The estimator multiplies by the length B of the spec's own codewords, so this divides by it. */
static sotto_status release_gradient(paper *self, const double *v, int share, double *out)
{
    double scale = self->terms.codebook[self->model->phase].scale;
    sotto_status status = sotto_mechanism_draw(self->ball[share], v, out);
    if (status != SOTTO_OK) return status;
    for (uint32_t i = 0; i < self->statistic; i++) {
        out[i] /= scale;
    }
    return SOTTO_OK;
}

static sotto_status release(paper *self, const double *v, int share, uint32_t row)
{
    double *out = self->sum + (size_t)row * self->statistic;
    self->arm_count[row] = 1;
    if (self->ball[share] != NULL) return release_gradient(self, v, share, out);
    release_moments(self, v, share, out);
    return SOTTO_OK;
}

static sotto_status release_all(paper *self)
{
    memset(self->sum, 0, (size_t)self->rows * self->statistic * sizeof self->sum[0]);
    memset(self->arm_count, 0, self->rows * sizeof self->arm_count[0]);
    if (self->shared) return release(self, self->v, FULL, 0);
    if (self->model->phase == SOTTO_PHASE_WARM_UP) return release(self, self->v, FULL, self->arm);
    for (uint32_t a = 0; a < self->rows; a++) {
        sotto_status status = release(self, a == self->arm ? self->v : self->zero, HALF, a);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* ---- a round ------------------------------------------------------------------------------ */

static sotto_status paper_decide(sotto__player *player, const double *context, uint32_t *arm)
{
    paper *self = (paper *)player;
    const sotto_spec *spec = &self->terms.spec;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    sotto_status status = self->noise.rng.fill(&self->noise.rng, nonce, sizeof nonce);
    if (status != SOTTO_OK) return status;
    sotto__clip_rows(context, self->context_count / spec->dim, spec->dim, spec->context_norm_max,
                     self->context);
    if (self->model->phase == SOTTO_PHASE_WARM_UP) {
        self->arm = (uint32_t)(self->model->reports % spec->arms);
    } else {
        self->arm = sotto__decide(&self->terms, self->model, nonce, self->context, self->scratch);
    }
    *arm = self->arm;
    return SOTTO_OK;
}

static void set_statistic(paper *self, double reward)
{
    const sotto_spec *spec = &self->terms.spec;
    const sotto_model *model = self->model;
    size_t row = self->shared ? 0 : (size_t)self->arm * spec->dim;
    self->score(
        &(sotto__scored){
            .spec = spec,
            .along_weight = self->terms.along_weight,
            .x = self->context + (self->shared ? (size_t)self->arm * spec->dim : 0),
            .reward = sotto__clip_reward(spec, reward),
            .theta = model->theta + row,
            .online = model->theta_h == NULL ? NULL : model->theta_h + row,
        },
        self->v);
}

static sotto_status paper_learn(sotto__player *player, double reward)
{
    paper *self = (paper *)player;
    sotto_model *model = self->model;
    set_statistic(self, reward);
    sotto_status status = release_all(self);
    if (status != SOTTO_OK) return status;
    sotto__batch batch = {
        .phase = model->phase,
        .count = 1,
        .arm_count = self->shared ? NULL : self->arm_count,
        .sum = self->sum,
    };
    if (model->theta_h != NULL) {
        memset(self->predicted, 0, self->theta_count * sizeof self->predicted[0]);
        sotto__gloc_predicted(&self->terms, self->sum, model->theta_h, self->predicted);
        batch.predicted = self->predicted;
    }
    self->estimator->absorb(self->estimator, &batch, model);
    model->reports++;
    if (model->phase == SOTTO_PHASE_WARM_UP && model->reports >= self->match->learning.warm_up) {
        sotto__end_warm_up(self->estimator, model);
    }
    return SOTTO_OK;
}

static const double *paper_estimate(const sotto__player *player)
{
    return ((const paper *)player)->model->theta;
}

static uint64_t paper_repairs(const sotto__player *player)
{
    return ((const paper *)player)->estimator->repairs;
}

static void paper_free(sotto__player *player)
{
    paper *self = (paper *)player;
    sotto_mechanism_free(self->ball[FULL]);
    sotto_mechanism_free(self->ball[HALF]);
    sotto__estimator_free(self->estimator);
    sotto_model_free(self->model);
    free(self->arm_count);
    free(self->memory);
    free(self);
}

/* ---- beginning ---------------------------------------------------------------------------- */

static const sotto__player functions = {
    .decide = paper_decide,
    .learn = paper_learn,
    .estimate = paper_estimate,
    .repairs = paper_repairs,
    .free = paper_free,
};

static sotto_status make_balls(paper *self)
{
    const sotto_spec *spec = &self->terms.spec;
    for (int share = FULL; share <= HALF; share++) {
        double epsilon = share == FULL ? spec->epsilon : spec->epsilon / 2;
        sotto_mechanism_settings settings =
            sotto_mechanism_default(SOTTO_MECHANISM_L2BALL, spec->dim, epsilon);
        sotto_status status = sotto_mechanism_new(&settings, &self->ball[share]);
        if (status != SOTTO_OK) return status;
        sotto__mechanism_borrow(self->ball[share], &self->noise.rng);
    }
    return SOTTO_OK;
}

static void set_noise(paper *self)
{
    const sotto_spec *spec = &self->terms.spec;
    double bound = spec->context_norm_max;
    double epsilon = spec->epsilon, delta = spec->delta;
    self->sigma[FULL] = sotto_paper_moments_calibrate(epsilon, delta, bound).sigma;
    self->sigma[HALF] = sotto_paper_moments_calibrate(epsilon / 2, delta / 2, bound).sigma;
    double sigma = self->sigma[self->shared ? FULL : HALF];
    self->estimator->noise = (sotto__noise_level){
        .matrix = sigma,
        .vector = bound * sotto__reward_bound(spec) * sigma,
    };
}

static sotto_status take_memory(paper *self)
{
    const sotto_spec *spec = &self->terms.spec;
    size_t released = (size_t)self->rows * self->statistic;
    self->arm_count = calloc(self->rows, sizeof self->arm_count[0]);
    self->memory = calloc((size_t)self->context_count + 2 * self->statistic + released +
                              self->theta_count + sotto__decide_doubles(spec),
                          sizeof self->memory[0]);
    if (self->arm_count == NULL || self->memory == NULL) return SOTTO_E_MEMORY;
    self->context = self->memory;
    self->v = self->context + self->context_count;
    self->zero = self->v + self->statistic;
    self->sum = self->zero + self->statistic;
    self->predicted = self->sum + released;
    self->scratch = self->predicted + self->theta_count;
    return SOTTO_OK;
}

static sotto_status begin(paper *self, uint64_t seed)
{
    const sotto_spec *spec = &self->terms.spec;
    sotto__ziggurat_begin(&self->ziggurat);
    sotto__stream_begin(&self->noise, seed, SOTTO__PURPOSE_PRIVACY);
    self->score = sotto__score_of(spec);
    self->shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    self->rows = self->shared ? 1 : spec->arms;
    self->statistic = sotto__statistic_dim(spec);
    self->context_count = spec->dim * (self->shared ? spec->arms : 1);
    self->theta_count = sotto__parameter_count(spec);
    sotto_status status = take_memory(self);
    if (status != SOTTO_OK) return status;
    status = sotto_model_new(&self->terms, &self->model);
    if (status != SOTTO_OK) return status;
    if (self->match->learning.warm_up == 0) self->model->phase = SOTTO_PHASE_MAIN;
    status = sotto__estimator_new(&self->terms, &self->match->learning, &self->estimator);
    if (status != SOTTO_OK) return status;
    if (spec->method == SOTTO_METHOD_LDP_SGD) return make_balls(self);
    set_noise(self);
    return SOTTO_OK;
}

sotto_status sotto__player_paper_new(const sotto_match *match, uint64_t seed,
                                     const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    sotto_spec spec = match->spec;
    if (spec.method == SOTTO_METHOD_SOTTO || spec.method == SOTTO_METHOD_SOTTO_OLS) {
        return SOTTO_E_FAULT;
    }
    if (match->split_paper) spec.split = SOTTO_SPLIT_PER_ARM;
    paper *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->player = functions;
    self->match = match;
    sotto_status status = sotto_spec_resolve(&spec, &self->terms);
    if (status == SOTTO_OK) status = begin(self, seed);
    if (status != SOTTO_OK) {
        paper_free(&self->player);
        return status;
    }
    *out = &self->player;
    return SOTTO_OK;
}
