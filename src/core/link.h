/* Links: mean reward = mu(x . theta). */
#ifndef SOTTO_LINK_H
#define SOTTO_LINK_H

#include "ieee.h"

#include <sotto/core.h>

/* mu(v). Every finite v gives a finite value: v is held to [-700, 700] before an exponential. */
double sotto__link_mean(sotto_link link, double v);

/* mu'(v), likewise. */
double sotto__link_slope(sotto_link link, double v);

/* The largest mu' on [-bound, bound]: the Lipschitz constant. */
double sotto__link_slope_max(sotto_link link, double bound);

/* zeta: the smallest mu' on [-bound, bound]. */
double sotto__link_slope_min(sotto_link link, double bound);

#endif
