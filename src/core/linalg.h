/* Small dense linear algebra: vectors, and symmetric matrices packed by the lower triangle, row by
 * row: entry (i, j), j <= i, stands at i(i+1)/2 + j. */
#ifndef SOTTO_LINALG_H
#define SOTTO_LINALG_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t sotto__tri_count(uint32_t n)
{
    return n * (n + 1) / 2;
}

double sotto__dot(const double *x, const double *y, uint32_t n);

/* Euclidean norm, right for every finite x: neither overflows nor underflows on the way. */
double sotto__norm(const double *x, uint32_t n);

/* Replaces the packed symmetric A by its Cholesky factor L, A = L L'. False, with A half done, if A
 * is not numerically positive definite. */
bool sotto__cholesky(double *a, uint32_t n);

/* x = (L L')^-1 b; x may be b. */
void sotto__cholesky_solve(const double *factor, const double *b, double *x, uint32_t n);

/* x' (L L')^-1 x = ||L^-1 x||^2, using n doubles of scratch. */
double sotto__inverse_form(const double *factor, const double *x, double *scratch, uint32_t n);

#endif
