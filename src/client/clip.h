/* Bounds, enforced here whatever the caller promised. */
#ifndef SOTTO_CLIP_H
#define SOTTO_CLIP_H

#include "core/secret.h"
#include "side.h"

#include <sotto/core.h>

#include <float.h>
#include <math.h>

/* out = x with NaN and infinities replaced by 0, scaled down to norm at most `norm_max`. */
void sotto__clip_vector(const double *x, uint32_t dim, double norm_max, double *out);
/* The same for each of `count` rows of dim numbers. */
void sotto__clip_rows(const double *rows, uint32_t count, uint32_t dim, double norm_max,
                      double *out);

/* The reward within the spec's range; its default for NaN and infinities. */
double sotto__clip_reward(const sotto_spec *spec, double reward);

/* v if it is finite, otherwise 0: what a hostile model makes of a sum must not spread. */
static inline double sotto__finite_or_zero(double v)
{
    /* isfinite() is quiet about NaN, and slower for it */
    return sotto__masked(v, 0 - (uint64_t)(fabs(v) <= DBL_MAX));
}

#endif
