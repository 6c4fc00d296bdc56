/* How much a private report can tell: the largest Fisher information. */
#ifndef SOTTO_LAB_FLOOR_INFORMATION_H
#define SOTTO_LAB_FLOOR_INFORMATION_H

#include "cells.h"
#include "score.h"

/* rho = (e^epsilon - 1)(m/K) E[(<u, S>/sqrt(m) - rho)_+], one `m` of `arms` directions; 1 of 1 for one
 * parameter. No report of a person with these contexts has a tangent Fisher trace above rho^2. */
double sotto__information_root(const sotto__cells *cells, const sotto__score *score, double epsilon,
                               uint32_t m, uint32_t arms);

/* E|S|^2, the trace without privacy: no report has more. */
double sotto__information_open(const sotto__cells *cells, const sotto__score *score);

#endif
