/*
 * A second implementation of lattice noise, slow or in floating point: a reference for the shipped
 * one, and a place to plant faults that the tests must catch.
 */
#ifndef SOTTO_NOISE_TWIN_H
#define SOTTO_NOISE_TWIN_H

#include "lab/random/random.h"

typedef enum noise_fault {
    NOISE_SHIPPING,    /* the shipping code itself, not a twin */
    NOISE_FLOAT,       /* rounded doubles of the same law: correct except for the low bits */
    NOISE_EXACT,       /* the published algorithms with digits of 2 bits: correct */
    NOISE_WIDE,        /* scale 2 % too large */
    NOISE_NARROW,      /* scale 2 % too small */
    NOISE_TRUNCATED,   /* rounded towards 0 instead of to the nearest tick */
    NOISE_ONE_SIDED,   /* no sign */
    NOISE_COARSE,      /* multiples of 16 */
    NOISE_FLAT_TAIL,   /* cut off at 4 scales */
    NOISE_SHIFTED,     /* 1 % of the scale added */
    NOISE_LOST_DIGITS, /* exact, but algorithm B extends the digits of a copy of x */
    NOISE_WITHOUT_N2,  /* exact gaussian, but every k of step N1 is kept */
    NOISE_TWO_ZEROS,   /* exact laplace, but both zeros are kept */
    NOISE_REPEATED,    /* every second vector repeats the previous one */
    NOISE_ONE_FOR_TWO, /* neighbouring coordinates are equal */
} noise_fault;

/* noise[0 .. dim) of a fault other than NOISE_SHIPPING. For NOISE_REPEATED the caller passes the
 * previous vector in `noise`, and `turn` counts the vectors. */
void noise_twin(noise_fault fault, sotto_noise_law law, uint32_t scale_ticks, uint32_t dim,
                uint64_t turn, sotto__seeded *random, int64_t *noise);

#endif
