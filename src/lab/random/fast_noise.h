/* Lattice noise for simulations: the law of the device's, about twenty times faster. */
#ifndef SOTTO_LAB_RANDOM_FAST_NOISE_H
#define SOTTO_LAB_RANDOM_FAST_NOISE_H

#include "client/lattice_noise.h"
#include "ziggurat.h"

/* A seeded stream that carries the tables of fast normals. */
typedef struct sotto__fast_rng {
    sotto__seeded seeded; /* first, so that a pointer to its rng is a pointer to the whole */
    sotto__ziggurat ziggurat;
} sotto__fast_rng;

/* Gaussian: rint(scale_ticks N(0, 1)) in doubles, from a sotto__fast_rng. Its low bits are those of
 * a double, so it protects nobody; its law is the device's to rounding. Laplace is the device's own
 * function. */
sotto__noise_function sotto__fast_noise;

#endif
