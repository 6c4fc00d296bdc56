/* Numerical integration of smooth functions. */
#ifndef SOTTO_QUADRATURE_H
#define SOTTO_QUADRATURE_H

#include "ieee.h"

#include <stdint.h>

#define SOTTO__PANEL_NODES 8u

/* Where to evaluate, and the weight of the value. */
typedef struct sotto__node {
    double at;
    double weight;
} sotto__node;

/* The Gauss-Legendre rule of eight nodes in each of `panels` equal parts of [from, to]: node i, for
 * i below panels x SOTTO__PANEL_NODES. The integral is the sum of weight x f(at). */
sotto__node sotto__quadrature_node(double from, double to, uint32_t panels, uint32_t i);

#endif
