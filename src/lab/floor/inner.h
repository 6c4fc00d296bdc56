/* What files of this room share. */
#ifndef SOTTO_LAB_FLOOR_INNER_H
#define SOTTO_LAB_FLOOR_INNER_H

#include <sotto/core.h>
#include <sotto/lab/environments.h>

/* ---- cells ---------------------------------------------------------------------------------- */

/* The law of a context as a list of cells, so that expectations become sums. */

/* Of a uniform unit vector x: c = <x, theta*> over D, y = |<x, u>|, u a unit tangent at theta*. */
typedef struct sotto__cell {
    double c, y, weight; /* weights sum to 1 */
} sotto__cell;

typedef struct sotto__cells {
    uint32_t count;
    sotto__cell cell[];
} sotto__cells;

/* The cells of the arm with the largest c of `arms`, by quadrature; accurate to about 1e-6 for
 * smooth functions. `dim` is at least 2. NULL: no memory. Free with free(). */
sotto__cells *sotto__cells_greedy(uint32_t dim, uint32_t arms);

/* The cells of one arm, on a regular grid of angles, for rules that choose among arms. Cells with
 * the same y are consecutive. */
sotto__cells *sotto__cells_even(uint32_t dim);

/* ---- fixed_point ---------------------------------------------------------------------------- */

/* The fixed point of a decreasing function. */

/* A function that does not grow with rho. */
typedef double sotto__falling(double rho, void *state);

/* Solves rho = f(rho) to `tolerance` times rho. Requires f(low) >= low >= 0 and f(high) <= high. */
double sotto__fixed_point(sotto__falling *f, void *state, double low, double high,
                          double tolerance);

/* ---- score ---------------------------------------------------------------------------------- */

/* What one reward says about theta*: the score of an answer. */

typedef struct sotto__floor_score {
    sotto_link link;
    sotto_reward_law law;
    double noise;      /* sd of law gaussian */
    double theta_norm; /* D */
} sotto__floor_score;

/* False for a law without a score of finite square: no noise, 0/1 rewards with a link other than
 * logit and probit, or counts with a link other than log. */
bool sotto__score_exists(const sotto__floor_score *score);

/* E[(e D y - rho)_+], rho >= 0, for a context with component c along theta* over D, and +-y (y >=
 * 0), with either sign equally likely, along a unit tangent. */
double sotto__score_excess(const sotto__floor_score *score, double c, double y, double rho);

/* E[(e D)^2] at c. */
double sotto__score_square(const sotto__floor_score *score, double c);

/* ---- information ---------------------------------------------------------------------------- */

/* How much a private report can tell: the largest Fisher information. */

/* rho = (e^epsilon - 1)(m/K) E[(<u, S>/sqrt(m) - rho)_+], one `m` of `arms` directions; 1 of 1 for
 * one parameter. No report of a person with these contexts has a tangent Fisher trace above
 * rho^2. */
double sotto__information_root(const sotto__cells *cells, const sotto__floor_score *score,
                               double epsilon, uint32_t m, uint32_t arms);

/* E|S|^2, the trace without privacy: no report has more. */
double sotto__information_open(const sotto__cells *cells, const sotto__floor_score *score);

/* ---- tradeoff ------------------------------------------------------------------------------- */

/* How much a report can say about theta* if its person may lose some reward for it. */

#define SOTTO__TRADEOFF_POINTS 34u

/* A concave, growing function, linear between its points and constant after the last. */
typedef struct sotto__frontier {
    uint32_t count;
    double at[SOTTO__TRADEOFF_POINTS];
    double value[SOTTO__TRADEOFF_POINTS];
} sotto__frontier;

/* G: the largest tangent Fisher trace of a report, as a function of its person's expected regret
 * over D. */
typedef struct sotto__tradeoff {
    sotto__frontier private; /* rho^2 */
    sotto__frontier open;    /* E|S|^2 */
} sotto__tradeoff;

/* Makes G for shared parameters and link identity. */
SOTTO_CHECK sotto_status sotto__tradeoff_make(const sotto__floor_score *score, uint32_t dim,
                                              uint32_t arms, double epsilon, sotto__tradeoff *out);

/* G(regret), regret >= 0. */
double sotto__tradeoff_at(const sotto__tradeoff *tradeoff, double regret);

#endif
