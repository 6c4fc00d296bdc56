/* Cholesky factors of four matrices at once, entry by entry: while one waits for a result, the
 * others compute. For per-arm parameters, which have one matrix per arm. */
#ifndef SOTTO_CHOLESKY_LANES_H
#define SOTTO_CHOLESKY_LANES_H

#include "linalg.h"

#define SOTTO__LANES 4u

/* The same entry of four matrices or vectors. */
typedef struct sotto__lanes {
    double lane[SOTTO__LANES];
} sotto__lanes;

/* Replaces packed symmetric matrices by their factors, as sotto__cholesky does, to rounding, and
 * writes the n inverses of the diagonal entries. Returns a bit for each matrix that is not
 * numerically positive definite; its numbers then mean nothing. */
uint32_t sotto__cholesky_lanes(sotto__lanes *a, sotto__lanes *inverse, uint32_t n);

/* x = (L L')^-1 x in each lane. */
void sotto__cholesky_solve_lanes(const sotto__lanes *factor, const sotto__lanes *inverse,
                                 sotto__lanes *x, uint32_t n);

#endif
