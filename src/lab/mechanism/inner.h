/* What files of this room share. */
#ifndef SOTTO_LAB_MECHANISM_INNER_H
#define SOTTO_LAB_MECHANISM_INNER_H

#include "client/client.h"
#include "mechanism.h"

/* PrivUnit in floating point: the lab's reference for the codebook. */

/* The number of 64-bit words that one draw uses. */
size_t sotto__privunit_words(uint32_t dim);

/* The unbiased estimate of x, ||x|| <= 1: B times a unit vector. `words` are uniform random. */
void sotto__privunit_draw(const sotto_privunit *constants, const double *x, uint32_t dim,
                          const uint64_t *words, double *estimate);

#endif
