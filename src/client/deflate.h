/* Contexts without the direction that they have in common. */
#ifndef SOTTO_DEFLATE_H
#define SOTTO_DEFLATE_H

#include "side.h"

#include <sotto/core.h>

/* x = ||x|| unit(x - (g . x) g), and 0 if there is nothing left to have a direction; as it was if g = 0.
 * g is public, finite and of norm at most 1, as sotto__clip_vector makes it. */
void sotto__deflate(const double *g, uint32_t dim, double *x);

#endif
