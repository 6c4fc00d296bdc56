/* A slow copy of what the authors' code stores: whole matrices, and the same noise drawn a second
 * time. */
#ifndef SOTTO_PUBLISHED_TWIN_H
#define SOTTO_PUBLISHED_TWIN_H

#include "lab/player/inner.h"
#include "lab/player/player.h"
#include "players.h"

#define TWIN_DIM 3u
#define TWIN_ARMS 4u
#define TWIN_CELLS (TWIN_DIM * TWIN_ARMS)

typedef struct slow_moments {
    double v[SLOW_MAX][SLOW_MAX];
    double u[SLOW_MAX];
} slow_moments;

/* 6 sqrt(2 ln(k/delta))/epsilon at the terms of match_of: delta 0.01, epsilon 1. */
static inline double twin_sigma(double k)
{
    return 6 * sqrt(2 * log(k / 0.01));
}

/* upsilon_n = sigma sqrt(n) (4 sqrt d + 2 ln(2T/alpha)) at T = 1000, alpha = 0.1. */
static inline double twin_upsilon(double sigma, double n)
{
    return sigma * sqrt(n) * (4 * sqrt(TWIN_DIM) + 2 * log(2 * 1000 / 0.1));
}

/* beta_n of LDP-UCB. */
static inline double twin_beta(double n)
{
    double sigma = twin_sigma(2.5), upsilon = twin_upsilon(sigma, n), d = TWIN_DIM;
    return 2 * sigma * sqrt(d * log(1000)) +
           (sqrt(3 * upsilon) + sigma * sqrt(d * n / upsilon)) * d * log(1000);
}

/* v += x x' + W, u += y x + xi. */
static inline void slow_moments_add(slow_moments *m, twin_streams *twin, const double *x, double y,
                                    uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double value = x[i] * x[j] + twin_sigma(2.5) * twin_normal(twin);
            m->v[i][j] += value;
            if (j < i) m->v[j][i] += value;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        m->u[i] += y * x[i] + twin_sigma(2.5) * twin_normal(twin);
    }
}

/* The people of one round: contexts that are not normalised, and a reward for each arm. */
typedef struct crowd {
    sotto__ziggurat ziggurat;
    sotto__seeded stream;
    bool shared;
    double context[TWIN_CELLS], reward[TWIN_ARMS];
} crowd;

static inline void crowd_begin(crowd *c, bool shared)
{
    c->shared = shared;
    sotto__ziggurat_begin(&c->ziggurat);
    sotto__seeded_begin(&c->stream, 314);
}

static inline const double *crowd_context(const crowd *c, uint32_t arm)
{
    return c->shared ? c->context + (size_t)arm * TWIN_DIM : c->context;
}

/* Some rewards lie far outside the spec's bounds. */
static inline void crowd_next(crowd *c)
{
    draw_normals(&c->ziggurat, &c->stream, 1, TWIN_CELLS, c->context);
    for (uint32_t a = 0; a < TWIN_ARMS; a++) {
        const double *x = crowd_context(c, a);
        c->reward[a] = x[0] - 0.5 * x[1] + 0.3 * a + 0.1 * sotto__normal(&c->ziggurat, &c->stream);
    }
}

static inline sotto_match published_match(sotto_player player, bool shared, bool second)
{
    sotto_match match = match_of(
        player, shared ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM, TWIN_DIM, TWIN_ARMS);
    match.calibration = SOTTO_CALIBRATION_PUBLISHED;
    match.learning.step = second ? SOTTO_STEP_SQRT : SOTTO_STEP_INVERSE;
    match.learning.warm_up = shared ? 0 : 50;
    return match;
}

static inline sotto__player *published_player(const sotto_match *match, uint64_t seed)
{
    sotto__player *player;
    assert_ok(sotto__player_published_new(match, seed, NULL, &player));
    assert_true(player->repairs(player) == 0);
    return player;
}

/* x_a . theta_a, with one theta for all arms if they have their own contexts. */
static inline void crowd_scores(const crowd *c, const double *theta, double score[TWIN_ARMS])
{
    for (uint32_t a = 0; a < TWIN_ARMS; a++) {
        const double *own = theta + (c->shared ? 0 : a * TWIN_DIM);
        score[a] = dot_of(crowd_context(c, a), own, TWIN_DIM);
    }
}

/* The player's arm for these people, which must be `wanted`. */
static inline uint32_t decided(sotto__player *player, const crowd *c, uint32_t wanted)
{
    uint32_t arm;
    assert_ok(player->decide(player, c->context, &arm));
    assert_int_equal(arm, wanted);
    return arm;
}

/* The scores of the last decision; NaN where a form was negative. */
static inline void assert_scores(const sotto__player *player, const double *wanted)
{
    const double *got = ((const sotto__published *)player)->score;
    for (uint32_t a = 0; a < TWIN_ARMS; a++) {
        assert_int_equal(isnan(got[a]), isnan(wanted[a]));
        if (!isnan(wanted[a]))
            assert_near(got[a] / (1 + fabs(wanted[a])), wanted[a] / (1 + fabs(wanted[a])), 1e-9);
    }
}

#endif
