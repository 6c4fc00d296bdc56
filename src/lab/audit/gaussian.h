/* Layer 2: what the accuracy of a guess says about a Gaussian mechanism. */
#ifndef SOTTO_LAB_AUDIT_GAUSSIAN_H
#define SOTTO_LAB_AUDIT_GAUSSIAN_H

#include <stdbool.h>
#include <stdint.h>

/* Delta/sigma of a Gaussian mechanism that is just (epsilon, delta)-private. */
double sotto__gaussian_allowed(double epsilon, double delta);

/* A lower bound on Delta/sigma from `right` guesses in `trials` with a fair coin, wrong with
 * probability at most alpha; 0 if nothing is shown. */
double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha);

/* The smallest alpha at which so many right guesses contradict Delta/sigma <= allowed. */
double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed);

/* The epsilon that a Gaussian mechanism of this Delta/sigma has at delta; 0 below 0.001. */
double sotto__audit_gaussian_epsilon(double ratio, double delta);

/* The shape of noise, seen witness by witness: sums of powers for each secret. */
typedef struct sotto__shape {
    double count[2], power[2][4];
} sotto__shape;

void sotto__shape_add(sotto__shape *shape, uint32_t secret, double witness);

/* True if the witnesses look normal for each secret, and are many enough to tell a Gaussian mechanism
 * of this Delta/sigma from one whose likelihood ratio is bounded. */
bool sotto__shape_normal(const sotto__shape *shape, double ratio);

#endif
