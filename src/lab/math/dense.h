/* Solving with symmetric matrices that noise may have made indefinite. */
#ifndef SOTTO_LAB_MATH_DENSE_H
#define SOTTO_LAB_MATH_DENSE_H

#include <sotto/core.h>

#define SOTTO__DENSE_MAX 4096u /* rows: two matrices of 128 MiB */

typedef struct sotto__dense sotto__dense;

/* Room for matrices of n rows. SOTTO_E_LENGTH above SOTTO__DENSE_MAX. */
SOTTO_CHECK sotto_status sotto__dense_new(uint32_t n, sotto__dense **out);
void sotto__dense_free(sotto__dense *dense); /* accepts NULL */

/* Factors A + shift I, with A packed by its lower triangle. False if that is singular or not
 * finite: then there is nothing to solve with. */
bool sotto__dense_factor(sotto__dense *dense, const double *a, double shift);

/* x = (A + shift I)^-1 b, of the last matrix factored; x is not b. */
void sotto__dense_solve(const sotto__dense *dense, const double *b, double *x);

/* out_i = x' (A + shift I)^-1 x for x row i of `count` rows, using n x count doubles of scratch.
 * Never negative if the matrix is positive definite. */
void sotto__dense_forms(const sotto__dense *dense, const double *rows, uint32_t count,
                        double *scratch, double *out);

/* The same number for number, sooner, where row c is 0 outside of block c of the `count` blocks that
 * its n numbers are divided into. */
void sotto__dense_forms_of_blocks(const sotto__dense *dense, const double *rows, uint32_t count,
                                  double *scratch, double *out);

#endif
