/* Layer 2: what the accuracy of a guess says about a Gaussian mechanism. */
#ifndef SOTTO_AUDIT_GAUSSIAN_H
#define SOTTO_AUDIT_GAUSSIAN_H

#include "audit_event.h"

/* Delta/sigma of a Gaussian mechanism that is just (epsilon, delta)-private. */
double sotto__gaussian_allowed(double epsilon, double delta);

/* A lower bound on Delta/sigma from `right` guesses in `trials` with a fair coin, wrong with
 * probability at most alpha; 0 if nothing is shown. */
double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha);

/* The smallest alpha at which so many right guesses contradict Delta/sigma <= allowed. */
double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed);

/* The epsilon that a Gaussian mechanism of this Delta/sigma has at delta; 0 below 0.001. */
double sotto__gaussian_epsilon(double ratio, double delta);

/* p-value of the scores being normal for each secret, by their shape (skewness and kurtosis) and by
 * a chi-square over 32 bins: the smaller, doubled. */
double sotto__normality_p(const sotto__scored_trial *sample, uint64_t count);

#endif
