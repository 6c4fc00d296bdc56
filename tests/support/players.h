/* Matches and slow linear algebra for the tests of players. */
#ifndef SOTTO_PLAYERS_H
#define SOTTO_PLAYERS_H

#include "lab/player/player.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* A second copy of a player's own streams. */
typedef struct twin_streams {
    sotto__ziggurat ziggurat;
    sotto__seeded initial, noise;
} twin_streams;

static inline void twin_streams_begin(twin_streams *twin, uint64_t seed)
{
    sotto__ziggurat_begin(&twin->ziggurat);
    sotto__stream_begin(&twin->initial, seed, SOTTO__PURPOSE_INITIAL);
    sotto__stream_begin(&twin->noise, seed, SOTTO__PURPOSE_PRIVACY);
}

static inline double twin_normal(twin_streams *twin)
{
    return sotto__normal(&twin->ziggurat, &twin->noise);
}

/* Independent normals of this sd. */
static inline void draw_normals(const sotto__ziggurat *ziggurat, sotto__seeded *stream, double sd,
                                uint32_t count, double *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = sd * sotto__normal(ziggurat, stream);
    }
}

static inline void draw_unit(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t count,
                             double *out)
{
    double squares = 0;
    draw_normals(ziggurat, stream, 1, count, out);
    for (uint32_t i = 0; i < count; i++) {
        squares += out[i] * out[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] /= sqrt(squares);
    }
}

static inline double dot_of(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* The index of the largest; the first one if several are equal. */
static inline uint32_t first_largest(const double *score, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (score[i] > score[best]) best = i;
    }
    return best;
}

#define SLOW_MAX 12 /* rows */

/* x = (A + shift I)^-1 b by Gauss and Jordan, the largest pivot first; A is kept. */
static inline void slow_solve(double a[SLOW_MAX][SLOW_MAX], double shift, const double *b,
                              uint32_t n, double *x)
{
    double m[SLOW_MAX][SLOW_MAX + 1];
    for (uint32_t i = 0; i < n; i++) {
        memcpy(m[i], a[i], n * sizeof m[i][0]);
        m[i][i] += shift;
        m[i][n] = b[i];
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < n; i++) {
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        }
        for (uint32_t j = 0; j <= n; j++) {
            double kept = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = kept;
        }
        for (uint32_t i = 0; i < n; i++) {
            double l = i == k ? 0 : m[i][k] / m[k][k];
            for (uint32_t j = k; j <= n; j++) {
                m[i][j] -= l * m[k][j];
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = m[i][n] / m[i][i];
    }
}

/* x' (A + shift I)^-1 x. */
static inline double slow_form(double a[SLOW_MAX][SLOW_MAX], double shift, const double *x,
                               uint32_t n)
{
    double y[SLOW_MAX];
    slow_solve(a, shift, x, n, y);
    return dot_of(x, y, n);
}

/* Epsilon 1, delta 0.01, rewards within [-1, 1], T = 1000. */
static inline sotto_match match_of(sotto_player player, sotto_parameters parameters, uint32_t dim,
                                   uint32_t arms)
{
    sotto_match match = {.player = player, .horizon = 1000};
    match.spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    match.spec.dim = dim;
    match.spec.arms = arms;
    match.spec.parameters = parameters;
    match.spec.epsilon = 1;
    match.delta = match.spec.delta = 0.01;
    match.spec.allow_weak_delta = true;
    match.learning = (sotto_learning){
        .horizon = 1000,
        .epoch = 1,
        .alpha = 0.1,
        .step = SOTTO_STEP_INVERSE,
        .eta0 = 5,
        .project = true,
        .shift_scale = 1,
        .elimination_scale = INFINITY,
    };
    return match;
}

static inline void assert_all_near(const double *got, const double *wanted, uint32_t count,
                                   double tolerance)
{
    double size = 1;
    for (uint32_t i = 0; i < count; i++) {
        size = fmax(size, fabs(wanted[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_near(got[i] / size, wanted[i] / size, tolerance);
    }
}

#endif
