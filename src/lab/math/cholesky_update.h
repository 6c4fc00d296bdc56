/* Cholesky factors that follow a growing matrix. */
#ifndef SOTTO_LAB_MATH_CHOLESKY_UPDATE_H
#define SOTTO_LAB_MATH_CHOLESKY_UPDATE_H

#include <stdint.h>

/* Replaces the packed factor L of A by that of A + x x', in n^2 operations. Spends x. */
void sotto__cholesky_update(double *factor, double *x, uint32_t n);

#endif
