/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_RANDOM_ROOM_H
#define SOTTO_LAB_RANDOM_ROOM_H

#include "client/client.h"

/* ---- random --------------------------------------------------------------------------------- */

/* Seeded randomness: the same seed gives the same words on every machine (normals, to rounding). */

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

/* One step of xoshiro256++ 1.0. Inline, so that a loop over draws keeps the state in registers. */
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

/* ---- ziggurat ------------------------------------------------------------------------------- */

/* A fast normal in floating point: for simulation, never for a report that leaves a device. */

#define SOTTO__LAYERS 256

/* Tables of the layers, made once. Any number of threads may share them. */
typedef struct sotto__ziggurat {
    double unit[SOTTO__LAYERS];  /* 2^-53 x: what one of 2^53 steps to the right edge is */
    double x[SOTTO__LAYERS + 1]; /* right edges, widest first; x[0] is that of the base's area */
    double y[SOTTO__LAYERS + 1]; /* e^(-x^2/2) */
} sotto__ziggurat;

void sotto__ziggurat_begin(sotto__ziggurat *ziggurat);

/* One standard normal. */
double sotto__normal(const sotto__ziggurat *ziggurat, sotto__seeded *seeded);

/* The next `count` normals, faster than one by one. */
void sotto__normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double *out,
                    uint32_t count);

/* out_i += sd times the next normal. */
void sotto__add_normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double sd,
                        double *out, uint32_t count);

/* ---- fast_noise ----------------------------------------------------------------------------- */

/* Lattice noise for simulations: the same law as the device's, about twenty times faster. */

/* A seeded stream that carries the tables of fast normals. */
typedef struct sotto__fast_rng {
    sotto__seeded seeded; /* first, so that a pointer to its rng is a pointer to the whole */
    sotto__ziggurat ziggurat;
} sotto__fast_rng;

/* Gaussian: rint(scale_ticks N(0, 1)) in doubles, from a sotto__fast_rng. It is not private,
 * because its low bits are those of a double; its law equals the device's up to rounding. Laplace
 * uses the device's own function. */
sotto__noise_function sotto__fast_noise;

/* ---- stream --------------------------------------------------------------------------------- */

/* Seeded streams by purpose. Contexts, rewards and privacy noise of a run never share numbers, so
 * methods compared in one experiment meet the same people. */

typedef enum sotto__purpose {
    SOTTO__PURPOSE_PARAMETERS, /* theta* */
    SOTTO__PURPOSE_CONTEXTS,
    SOTTO__PURPOSE_REWARDS,
    SOTTO__PURPOSE_PRIVACY, /* randomness of devices */
    SOTTO__PURPOSE_INITIAL, /* where the authors' code starts */
    SOTTO__PURPOSE_LIARS,   /* who lies, and the nonces tried */
    SOTTO__PURPOSE_ORDER, /* the order in which rows of a file are played, and which are left out */
    SOTTO__PURPOSE_BOOTSTRAP, /* which rows of a log are resampled */
    SOTTO__PURPOSE_MISSING,   /* whose reward never comes */
    SOTTO__PURPOSE_DELAY,     /* how long reports take to arrive */
} sotto__purpose;

/* State = SHA-256("sotto lab stream" | seed u64 | purpose u32). */
void sotto__stream_begin(sotto__seeded *stream, uint64_t seed, sotto__purpose purpose);

#endif
