/* How far apart the ticks of two people can be, by searching for the worst pair. */
#ifndef SOTTO_DISTANCE_H
#define SOTTO_DISTANCE_H

#include <sotto/core.h>

/* For a lattice spec of 1 to 4 numbers: over corners and random secrets, under hostile models, no
 * two are further apart in ticks than the diameter of the statistic and of rounding, in the norm of
 * the noise law. Where the diameter is attained by some pair, one comes within 1 % of it. */
void assert_diameter_holds(const sotto_spec *spec, uint64_t seed);

#endif
