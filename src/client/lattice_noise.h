/* Exact integer noise for ticks: no floating point, so nothing hides in low bits. */
#ifndef SOTTO_LATTICE_NOISE_H
#define SOTTO_LATTICE_NOISE_H

#include "entropy.h"

/* Fills noise[0 .. lattice->dim): independent samples of the law with scale lattice->scale_ticks.
 * Drawn before there is a secret, because the time it takes tells of the noise. SOTTO_E_ENTROPY if
 * the randomness fails, or is so regular that a sample does not end; `noise` is then all 0. */
SOTTO_CHECK sotto_status sotto__lattice_noise(const sotto_lattice *lattice, sotto_noise_law law,
                                              sotto_rng *rng, int64_t *noise);

/* Its type: the lab simulates with a faster function of the same law. */
typedef sotto_status sotto__noise_function(const sotto_lattice *lattice, sotto_noise_law law,
                                           sotto_rng *rng, int64_t *noise);

#endif
