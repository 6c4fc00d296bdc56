/*
 * Public randomness of a round, expanded from its nonce: both sides compute it, neither hides it.
 *
 * Nothing secret is ever drawn from here.
 */
#ifndef SOTTO_PUBLIC_STREAM_H
#define SOTTO_PUBLIC_STREAM_H

#include <sotto/core.h>

enum {
    SOTTO__STREAM_CODEBOOK = 1,
    SOTTO__STREAM_SIGNS = 2,
    SOTTO__STREAM_ARM = 3,
    SOTTO__STREAM_ROLE = 4
};

#define SOTTO__BLOCK_BYTES 64u

/* Which block of which stream of one round. */
typedef struct sotto__block_at {
    const uint8_t *stream_key; /* of the spec, SOTTO_SPEC_ID_BYTES */
    const uint8_t *nonce;      /* of the round, SOTTO_NONCE_BYTES */
    uint32_t stream;
    uint32_t codeword; /* CODEBOOK: index of the codeword; otherwise 0 */
    uint32_t arm;      /* CODEBOOK under split per-arm: the arm's codebook; otherwise 0 */
} sotto__block_at;

/* ChaCha8 of key (stream_key | nonce) at counter words (block, stream, codeword, arm). */
void sotto__public_block(const sotto__block_at *at, uint32_t block,
                         uint8_t out[SOTTO__BLOCK_BYTES]);

/* The same block as little-endian words, and the words of the blocks of four codewords, or of four
 * and four, from at->codeword on. */
void sotto__public_words(const sotto__block_at *at, uint32_t block, uint32_t out[16]);
void sotto__public_words_of_four(const sotto__block_at *at, uint32_t block, uint32_t out[16][4]);
void sotto__public_words_of_eight(const sotto__block_at *at, uint32_t block,
                                  uint32_t out[2][16][4]);

/* The arm that the nonce assigns: floor(arms h / 2^64), h the first u64 of stream ARM. */
uint32_t sotto__assigned_arm(const sotto_terms *terms, const uint8_t *nonce);

/* sign[k], k < arms: +1 if bit k of stream SIGNS is 0, -1 if it is 1. */
void sotto__arm_signs(const sotto_terms *terms, const uint8_t *nonce, int8_t *sign);

/* The role of a round. u is the first u32 of stream ROLE, m = spec.measure:
 *
 *   u < floor(m/2)         control
 *   floor(m/2) <= u < m    follow, or learn while nothing is learnt that could be followed
 *   otherwise              learn
 */
sotto_role sotto__role_of(const sotto_terms *terms, const uint8_t *nonce, bool follows);

/* The codebook of a measure round: dimension 1, two codewords, the weights of the phase's. */
sotto_codebook sotto__measure_codebook(const sotto_codebook *of_phase);

#endif
