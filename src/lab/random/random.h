/* Seeded randomness: the same seed gives the same words on every machine (normals, to rounding). */
#ifndef SOTTO_LAB_RANDOM_RANDOM_H
#define SOTTO_LAB_RANDOM_RANDOM_H

#include "client/entropy.h"

/* xoshiro256++ (Blackman and Vigna), as a sotto_rng. */
typedef struct sotto__seeded {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    uint64_t state[4];
} sotto__seeded;

void sotto__seeded_begin(sotto__seeded *seeded, uint64_t seed);

static inline uint64_t sotto__rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

/* One step of xoshiro256++ 1.0. Here, so that a loop over draws keeps the state in registers. */
static inline uint64_t sotto__xoshiro(uint64_t s[4])
{
    uint64_t result = sotto__rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = sotto__rotate_left(s[3], 45);
    return result;
}

static inline uint64_t sotto__seeded_next(sotto__seeded *seeded)
{
    return sotto__xoshiro(seeded->state);
}

/* Uniform in (0, 1) from 64 random bits. */
double sotto__uniform(uint64_t bits);

/* Two independent standard normals from two words (Box and Muller). */
void sotto__normal_pair(uint64_t first, uint64_t second, double out[2]);

#endif
