/*
 * With phi the angle between x and theta*, and a that between its tangent part and u,
 *
 *     c = cos(phi),  y = sin(phi) |cos(a)|,  density ~ sin^(d-2)(phi) sin^(d-3)(a).
 *
 * In the plane there is one tangent, and y = sin(phi). Both angles are taken where the density is: within
 * 12/sqrt(d) of a right angle. The largest c of K arms has K F^(K-1) times the density of one.
 *
 * The grid has the angles the other way round, y = cos(b), c = sin(b) cos(a), so that each row has one y, and
 * 8/sqrt(d) to each side. Rows are shifted against each other by the golden ratio: no two cells have
 * one c, which matters where cells are put in order.
 */
#include "cells.h"
#include "core/quadrature.h"
#include "core/special.h"

#include <math.h>
#include <stdlib.h>

#define OUTER_PANELS 32u
#define INNER_PANELS 4u
#define ROWS 32u
#define COLUMNS 64u
#define ROWS_PLANE 128u

static const double right_angle = 1.57079632679489661923;

/* Where the density of sin^power begins: so many standard deviations before a right angle. */
static double first_angle(double power, double sds)
{
    return acos(fmin(1, sds / sqrt(power + 2)));
}

/* One row of cells at angle phi: `inner` nodes of the second angle, or one in the plane. */
static void add_row(sotto__cells *cells, uint32_t dim, double phi, double weight, uint32_t inner)
{
    double c = cos(phi), s = sin(phi);
    if (dim == 2) {
        cells->cell[cells->count++] = (sotto__cell){c, s, weight};
        return;
    }
    double power = dim - 3.0, from = first_angle(power, 12);
    for (uint32_t i = 0; i < inner; i++) {
        sotto__node node = sotto__quadrature_node(from, right_angle, INNER_PANELS, i);
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
    double a = (dim - 1) / 2.0, from = first_angle(dim - 2.0, 12);
    for (uint32_t i = 0; i < outer; i++) {
        sotto__node node = sotto__quadrature_node(from, 2 * right_angle - from, OUTER_PANELS, i);
        double log_cdf = log(sotto__incomplete_beta((1 + cos(node.at)) / 2, a, a));
        double density = exp((dim - 2.0) * log(sin(node.at)) + (arms - 1.0) * log_cdf);
        add_row(cells, dim, node.at, node.weight * density, inner);
    }
    normalise(cells);
    return cells;
}

/* One row of the grid at angle b. */
static void add_even(sotto__cells *cells, uint32_t dim, double b, double shift)
{
    double y = cos(b), s = sin(b), weight = exp((dim - 2.0) * log(s));
    if (dim == 2) {
        cells->cell[cells->count++] = (sotto__cell){-s, y, weight};
        cells->cell[cells->count++] = (sotto__cell){s, y, weight};
        return;
    }
    double power = dim - 3.0, from = first_angle(power, 8);
    double step = 2 * (right_angle - from) / COLUMNS;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        double a = from + (i + shift) * step, density = exp(power * log(sin(a)));
        cells->cell[cells->count++] = (sotto__cell){s * cos(a), y, weight * density};
    }
}

sotto__cells *sotto__cells_even(uint32_t dim)
{
    const double golden = 0.61803398874989484820;
    uint32_t rows = dim == 2 ? ROWS_PLANE : ROWS;
    sotto__cells *cells = empty(rows, COLUMNS);
    if (cells == NULL) return NULL;
    double from = first_angle(dim - 2.0, 8), step = (right_angle - from) / rows;
    for (uint32_t i = 0; i < rows; i++) {
        add_even(cells, dim, from + (i + 0.5) * step, fmod((i + 0.5) * golden, 1));
    }
    normalise(cells);
    return cells;
}
