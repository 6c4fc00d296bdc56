/*
 * With phi the angle between x and theta*, and a that between its tangent part and u,
 *
 *     c = cos(phi),  y = sin(phi) |cos(a)|,  density ~ sin^(d-2)(phi) sin^(d-3)(a).
 *
 * In the plane there is one tangent, and y = sin(phi). Both angles are taken where the density is: within
 * 12/sqrt(d) of a right angle. The largest c of K arms has K F^(K-1) times the density of one.
 */
#include "cells.h"
#include "core/quadrature.h"
#include "core/special.h"

#include <math.h>
#include <stdlib.h>

#define OUTER_PANELS 32u
#define INNER_PANELS 4u
#define OUTER_EVEN 256u
#define INNER_EVEN 16u

static const double right_angle = 1.57079632679489661923;

/* Where the density of sin^power begins. */
static double first_angle(double power)
{
    return acos(fmin(1, 12 / sqrt(power + 2)));
}

/* One row of cells at angle phi: `inner` nodes of the second angle, or one in the plane. */
static void add_row(sotto__cells *cells, uint32_t dim, double phi, double weight, uint32_t inner,
                    bool even)
{
    double c = cos(phi), s = sin(phi);
    if (dim == 2) {
        cells->cell[cells->count++] = (sotto__cell){c, s, weight};
        return;
    }
    double power = dim - 3.0, from = first_angle(power);
    double step = (right_angle - from) / inner;
    for (uint32_t i = 0; i < inner; i++) {
        sotto__node node = even ? (sotto__node){from + (i + 0.5) * step, step}
                                : sotto__quadrature_node(from, right_angle, INNER_PANELS, i);
        double density = exp(power * log(sin(node.at))) * node.weight;
        cells->cell[cells->count++] = (sotto__cell){c, s * cos(node.at), weight * density};
    }
}

static void normalise(sotto__cells *cells)
{
    double sum = 0;
    for (uint32_t i = 0; i < cells->count; i++) {
        sum += cells->cell[i].weight;
    }
    for (uint32_t i = 0; i < cells->count; i++) {
        cells->cell[i].weight /= sum;
    }
}

static sotto__cells *empty(uint32_t outer, uint32_t inner)
{
    sotto__cells *cells = malloc(sizeof *cells + (size_t)outer * inner * sizeof(sotto__cell));
    if (cells != NULL) cells->count = 0;
    return cells;
}

sotto__cells *sotto__cells_greedy(uint32_t dim, uint32_t arms)
{
    const uint32_t outer = OUTER_PANELS * SOTTO__PANEL_NODES;
    const uint32_t inner = INNER_PANELS * SOTTO__PANEL_NODES;
    sotto__cells *cells = empty(outer, inner);
    if (cells == NULL) return NULL;
    double a = (dim - 1) / 2.0, from = first_angle(dim - 2.0);
    for (uint32_t i = 0; i < outer; i++) {
        sotto__node node = sotto__quadrature_node(from, 2 * right_angle - from, OUTER_PANELS, i);
        double log_cdf = log(sotto__incomplete_beta((1 + cos(node.at)) / 2, a, a));
        double density = exp((dim - 2.0) * log(sin(node.at)) + (arms - 1.0) * log_cdf);
        add_row(cells, dim, node.at, node.weight * density, inner, false);
    }
    normalise(cells);
    return cells;
}

sotto__cells *sotto__cells_even(uint32_t dim)
{
    sotto__cells *cells = empty(OUTER_EVEN, INNER_EVEN);
    if (cells == NULL) return NULL;
    double from = first_angle(dim - 2.0), step = 2 * (right_angle - from) / OUTER_EVEN;
    for (uint32_t i = 0; i < OUTER_EVEN; i++) {
        double phi = from + (i + 0.5) * step;
        double density = exp((dim - 2.0) * log(sin(phi)));
        add_row(cells, dim, phi, density, INNER_EVEN, true);
    }
    normalise(cells);
    return cells;
}
