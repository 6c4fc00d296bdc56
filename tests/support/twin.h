/*
 * The codebook randomiser once more, slow and obvious, on codewords given as plain numbers: an
 * answer to compare the shipping one with, and a place to plant faults that the tests must catch.
 */
#ifndef SOTTO_TWIN_H
#define SOTTO_TWIN_H

#include "client/client.h"

typedef enum twin_fault {
    TWIN_NONE, /* the shipping code itself, not a twin */
    TWIN_FAITHFUL,
    TWIN_HEAVY_TOP,     /* w_top 2 % too large */
    TWIN_SIGNED_RANK,   /* TOP by <z, v> over i < M/2 instead of |<z, v>| */
    TWIN_ONE_TOP_LESS,  /* k - 1 codewords in TOP, drawn with the weights of k */
    TWIN_BIASED_INDEX,  /* the last index never drawn */
    TWIN_REST_OVERLAPS, /* "the rest" is all M codewords */
    TWIN_NO_FLIP,       /* short inputs treated as if they were unit vectors */
    TWIN_ZERO_RANKED,   /* the input 0 ranked like any other instead of drawn uniformly */
    TWIN_FLIP_INVERTED, /* sign kept with the probability of a flip */
    TWIN_WORST_SIGN,    /* each TOP codeword with its worse sign */
    TWIN_COARSE_TABLE,  /* codewords from the number of ones in 64 bits; the caller makes them */
} twin_fault;

/* codeword: size/2 rows of dim numbers of norm 1. The rest as in client.h. */
uint32_t twin_choose(const sotto_codebook *codebook, const double *codeword, const double *v,
                     const sotto__coins *coins, twin_fault fault);

/* order[0 .. size): the indices of TOP, best first, then the rest in index order. */
void twin_order(const sotto_codebook *codebook, const double *codeword, const double *v,
                bool signed_rank, uint32_t *order);

/* The first half of a codebook as unit vectors. */
void twin_expand(const sotto_codebook *codebook, const uint8_t *stream_key, const uint8_t *nonce,
                 double *codeword);

#endif
