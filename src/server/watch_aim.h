/* The directions along which the watch looks at codewords: fixed by the model of the current epoch, before
 * any report that is looked at was folded. */
#ifndef SOTTO_WATCH_AIM_H
#define SOTTO_WATCH_AIM_H

#include "side.h"

#include <sotto/server.h>

#define SOTTO__AIM_WAYS 2u   /* what decides; and where the last steps went */
#define SOTTO__AIM_LEVELS 4u /* chances of a tail: 0.1, 0.01, 0.001, 0.0001 */

/* How a phase's codewords lie in the parameters. */
typedef enum sotto__aim_shape {
    SOTTO__AIM_NONE,  /* they do not: codewords of moments, of dimension 1, and ticks */
    SOTTO__AIM_ROWS,  /* a codeword is of one row */
    SOTTO__AIM_WHOLE, /* of all rows together */
    SOTTO__AIM_SIGNS  /* of their sum with the signs of the nonce */
} sotto__aim_shape;

/* A direction of theta's shape, not of length 1. */
typedef struct sotto__aim_way {
    double *at;   /* rows x dim */
    double *norm; /* rows: of each; 0: there is none */
    double whole; /* of all together */
} sotto__aim_way;

typedef struct sotto__aim {
    uint32_t rows, dim; /* of theta */
    sotto__aim_shape shape[SOTTO_PHASES];
    uint32_t levels[SOTTO_PHASES];                  /* that are used */
    double square[SOTTO_PHASES][SOTTO__AIM_LEVELS]; /* t^2 of each */
    sotto__aim_way way[SOTTO__AIM_WAYS];
} sotto__aim;

/* P(|U_1| > t) of a level. */
double sotto__aim_chance(uint32_t level);

/* All directions 0. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status sotto__aim_new(const sotto_terms *terms, sotto__aim **out);
void sotto__aim_free(sotto__aim *aim); /* accepts NULL */
/* The directions of a model of these terms. */
void sotto__aim_set(sotto__aim *aim, const sotto_model *model);

#endif
