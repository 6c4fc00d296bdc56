/* The choice of a codeword: the one place where a secret meets chance. */
#ifndef SOTTO_CHOOSE_CODEWORD_H
#define SOTTO_CHOOSE_CODEWORD_H

#include "entropy.h"

/* What the choice is made from; all public. */
typedef struct sotto__choice {
    const sotto_codebook *codebook;
    const uint8_t *stream_key;
    const uint8_t *nonce;
    uint32_t arm; /* the arm's codebook under split per-arm, otherwise 0 */
} sotto__choice;

/* How many of `count` codewords are expanded at once: 8, 4 or 1. */
uint32_t sotto__codewords_at_once(uint32_t count);

/* Working memory, all of it secret: wipe it after use. */
typedef struct sotto__choice_work {
    int32_t *normal; /* codeword dim x sotto__codewords_at_once(size/2) */
    double *unit;    /* codeword dim */
    /* size/2 each: the upper and lower half of the key that ranks a codeword, largest first; the
     * lower halves of those with a certain upper one, else 0; 1 if the opposite codeword is the
     * better one. */
    uint32_t *key_high, *key_low, *tied_low;
    uint8_t *flipped;
} sotto__choice_work;

/* The coins of one choice. Every choice draws all of them, in this order. */
typedef struct sotto__coins {
    uint64_t sign;    /* for inputs shorter than 1 */
    uint64_t member;  /* in [0, W) */
    uint64_t uniform; /* in [0, M), for the input 0 */
} sotto__coins;

SOTTO_CHECK sotto_status sotto__draw_coins(const sotto_codebook *codebook, sotto_rng *rng,
                                           sotto__coins *coins);

/* The index for v in the unit ball, TOP chosen among the codewords of `group`. Deterministic, and
 * the same work for every v and group. */
uint32_t sotto__choose_codeword(const sotto__choice *choice, const double *v, uint32_t group,
                                const sotto__coins *coins, sotto__choice_work *work);

#endif
