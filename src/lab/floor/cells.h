/* The law of a context as a list of cells, for sums in place of expectations. */
#ifndef SOTTO_LAB_FLOOR_CELLS_H
#define SOTTO_LAB_FLOOR_CELLS_H

#include <sotto/core.h>

/* A uniform unit vector x of R^d: c = <x, theta*> over D, y = |<x, u>|, u a unit tangent at theta*. */
typedef struct sotto__cell {
    double c, y, weight; /* weights sum to 1 */
} sotto__cell;

typedef struct sotto__cells {
    uint32_t count;
    sotto__cell cell[];
} sotto__cells;

/* Of the arm with the largest c of `arms`: by quadrature, right to about 1e-6 for smooth functions. `dim`
 * is at least 2. NULL: no memory. Freed with free(). */
sotto__cells *sotto__cells_greedy(uint32_t dim, uint32_t arms);

/* Of one arm, on a regular grid of angles: for rules that choose among arms. Cells with one y stand together. */
sotto__cells *sotto__cells_even(uint32_t dim);

#endif
