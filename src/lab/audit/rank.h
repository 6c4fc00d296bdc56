/* Where an index stands in the order of a codebook, recomputed from its definition. */
#ifndef SOTTO_LAB_AUDIT_RANK_H
#define SOTTO_LAB_AUDIT_RANK_H

#include "subject.h"

typedef struct sotto__ranking {
    const sotto__claim *claim;
    double *unit;    /* 2 x dim: the directions to rank by */
    int32_t *normal; /* dim */
    double *cosine;  /* 2 x size/2: of each codeword with each direction */
    uint32_t arm[2]; /* of each direction, where codewords carry arm tags; otherwise 0 */
} sotto__ranking;

SOTTO_CHECK sotto_status sotto__ranking_new(const sotto__claim *claim, sotto__ranking *out);
void sotto__ranking_free(sotto__ranking *ranking);

/* Ranks by v/||v||, v clipped to the ball, from here on as direction 0 or 1; returns ||v||/R. With tags
 * the arm is that of the largest of the first numbers, one per arm. */
double sotto__ranking_direct(sotto__ranking *ranking, uint32_t which, const double *x);

/* Expands the codebook of a nonce and its products with the first `directions` directions. */
void sotto__ranking_expand(sotto__ranking *ranking, const uint8_t *nonce, uint32_t directions);

/* How many codewords (of the first half, of the arm) are nearer to the line of the direction; *better
 * says whether `index` has its better sign. It is in TOP if it has, and its rank is below k. size/2 if
 * it carries another arm's tag. */
uint32_t sotto__ranking_of(const sotto__ranking *ranking, uint32_t which, uint32_t index,
                           bool *better);

#endif
