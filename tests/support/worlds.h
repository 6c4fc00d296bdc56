/* Worlds for tests, and the laws of what they draw. */
#ifndef SOTTO_WORLDS_H
#define SOTTO_WORLDS_H

#include "lab/environment/environment.h"

/* A match in which only the world matters: identity link, gaussian rewards of sd 0.1, ||theta*||
 * 0.8, margin 0.5, drift 0.01, a horizon of 10000. */
sotto_match match_of(sotto_environment_kind kind, sotto_parameters parameters, uint32_t dim,
                     uint32_t arms);
/* Its world; fails the test if there is none. */
sotto__world *world_of(const sotto_match *match, uint64_t seed);

/* 20000 people: every vector has E[x] = 0 and E[x x'] = diag(second), the vectors of a person are
 * uncorrelated, and none is longer than `longest`. At most 4 numbers and 3 vectors. False alarms: a
 * comparison of means at most 1e-6. */
void assert_moments(const sotto_match *match, uint64_t seed, const double *second, double longest);

/* The numbers look uniform on (0, 1): Kolmogorov and Smirnov's distance, false alarms at most 1e-6
 * (2 e^(-2 c^2) for c/sqrt n: Massart 1990). Sorts u. */
void assert_uniform(double *u, size_t n);
/* The test without its assertion, for twins that must fail. */
int looks_uniform(double *u, size_t n);

#endif
