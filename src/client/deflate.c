/*
 * Contexts of people are alike: their mean is long, and a report of x/||x|| spends most of its length on
 * the direction of that mean, which tells no two people apart. The server learns the direction g in the
 * mean phase (server/measure.c), and devices take off most of what lies along it, at the old length:
 *
 *     x~ = ||x|| unit(x - (g . x) g)
 *
 * g is public; x~ is as secret as x.
 */
#include "core/core.h"
#include "inner.h"

/* A remainder this small is rounding error and has no direction. */
#define NOTHING 1e-14

void sotto__deflate(const double *g, uint32_t dim, double *x)
{
    if (!(sotto__dot(g, g, dim) > 0)) return; /* the bits of no mean phase; g is public */
    double along = sotto__dot(g, x, dim), length = sotto__norm(x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] -= along * g[i];
    }
    double left = sotto__norm(x, dim);
    double scale = left > NOTHING * length ? length / left : 0;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}
