/* Seeded randomness: the same seed gives the same words on every machine (normals, to rounding). */
#ifndef SOTTO_RANDOM_H
#define SOTTO_RANDOM_H

#include "entropy.h"

/* xoshiro256++ (Blackman and Vigna), as a sotto_rng. */
typedef struct sotto__seeded {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    uint64_t state[4];
} sotto__seeded;

void sotto__seeded_begin(sotto__seeded *seeded, uint64_t seed);
uint64_t sotto__seeded_next(sotto__seeded *seeded);

/* Uniform in (0, 1) from 64 random bits. */
double sotto__uniform(uint64_t bits);

/* Two independent standard normals from two words (Box and Muller). */
void sotto__normal_pair(uint64_t first, uint64_t second, double out[2]);

#endif
