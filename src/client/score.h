/* Scores: what a report tells of a round. For codebook methods a vector of the unit ball, for
 * lattice methods the statistic in its own units; sotto__statistic_dim numbers. */
#ifndef SOTTO_SCORE_H
#define SOTTO_SCORE_H

#include "side.h"

#include <sotto/core.h>

/* The secret of one round, clipped, and the public numbers it is scored by. */
typedef struct sotto__scored {
    const sotto_spec *spec;
    double along_weight;
    const double *x;      /* the chosen arm's context */
    double reward;        /* within the spec's range */
    const double *theta;  /* the chosen arm's parameter */
    const double *online; /* the same of the online estimate, for ldp-gloc; otherwise NULL */
    const double *decide; /* the estimate that decides, for shared parameters; otherwise NULL */
} sotto__scored;

typedef void sotto__score_function(const sotto__scored *scored, double *v);

/* v = psi y/||y||, y = x - (1 - w)(x . u) u, u = decide/||decide|| (y = x where that is 0). w < 1
 * spends less of the report on the direction that the greedy choice already pins down. */
void sotto__score_along(const sotto__scored *scored, double psi, double *v);

/* v = (svec(x x'), lambda last x): what the moments and the pair have in common. */
void sotto__score_svec(const sotto__scored *scored, double last, double *v);

/* x . theta, finite for every model. */
double sotto__score_prediction(const sotto__scored *scored);

#endif
