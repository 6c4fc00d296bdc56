/* How much a report can tell of theta* if its person may lose some reward for it. */
#ifndef SOTTO_LAB_FLOOR_TRADEOFF_H
#define SOTTO_LAB_FLOOR_TRADEOFF_H

#include "cells.h"
#include "score.h"

#define SOTTO__TRADEOFF_POINTS 34u

/* A concave, growing function, linear between its points, constant after the last. */
typedef struct sotto__frontier {
    uint32_t count;
    double at[SOTTO__TRADEOFF_POINTS];
    double value[SOTTO__TRADEOFF_POINTS];
} sotto__frontier;

/* G: the largest tangent Fisher trace of a report by the expected regret of its person, over D. */
typedef struct sotto__tradeoff {
    sotto__frontier private; /* rho^2 */
    sotto__frontier open;    /* E|S|^2 */
} sotto__tradeoff;

/* Of shared parameters and link identity. */
SOTTO_CHECK sotto_status sotto__tradeoff_make(const sotto__score *score, uint32_t dim,
                                              uint32_t arms, double epsilon, sotto__tradeoff *out);

/* G(regret), regret >= 0. */
double sotto__tradeoff_at(const sotto__tradeoff *tradeoff, double regret);

#endif
