/* Codewords: unit vectors that both sides expand from a nonce, bit for bit alike. */
#ifndef SOTTO_CODEBOOK_H
#define SOTTO_CODEBOOK_H

#include "public_stream.h"

/* The un-normalised coordinates n_j of the codeword that `at` names; returns sum n_j^2 (exact: at
 * most 2^16 x 2^30). */
double sotto__codeword_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal);

/* The same for four codewords, from at->codeword on, in less than twice the time of one. Coordinate j
 * of codeword at->codeword + c is normal[4 j + c]: four products are made at once. */
void sotto__four_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                   double squares[4]);

/* Four and the four after them, in about one and a half of their time: normal holds those of the
 * first, 4 dim of them, and then those of the second. */
void sotto__eight_codewords_normals(const sotto__block_at *at, uint32_t dim, int32_t *normal,
                                    double squares[8]);

/* sotto_codebook_expand in the caller's floating-point environment, for folding: to set the
 * default one would slow it down by 8 to 43 % (50 to 2 numbers). */
SOTTO_CHECK sotto_status sotto__expand_codeword(const sotto_codebook *codebook,
                                                const uint8_t stream_key[SOTTO_SPEC_ID_BYTES],
                                                const uint8_t nonce[SOTTO_NONCE_BYTES],
                                                uint32_t index, uint32_t arm, int32_t *out);

#endif
