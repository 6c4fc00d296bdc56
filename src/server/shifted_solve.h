/*
 * Least squares on noisy moments: theta = (V + c I)^-1 b, block by block.
 *
 * V is a sum of released x x', and its noise may leave it without a Cholesky factor; the shift c
 * makes it positive definite in all but a few cases, and in those it is doubled. There is one block
 * for shared parameters, and one per arm for per-arm.
 */
#ifndef SOTTO_SHIFTED_SOLVE_H
#define SOTTO_SHIFTED_SOLVE_H

#include "core/cholesky_lanes.h"
#include "estimator.h"

typedef struct sotto__shifted {
    const sotto_spec *spec; /* borrowed */
    uint32_t blocks;
    double *gram;     /* V of each block: packed lower triangles */
    double *cross;    /* b: blocks x dim */
    double *summands; /* how many reports' noise is in each block, 0 before its first */
    double *shift;    /* c of the last solution of each block; infinity where there is none */
    double all;       /* t of the formulas: how many reports have come, less what is forgotten */
    double *factor;   /* scratch: one packed triangle */
    double *vector;   /* scratch: dim */
    /* Scratch of several blocks, which are solved four at a time; NULL for one. */
    sotto__lanes *lane_factor, *lane_vector, *lane_inverse;
} sotto__shifted;

/* How many doubles the arrays need, and putting them into that many zeros. */
size_t sotto__shifted_doubles(const sotto_spec *spec);
void sotto__shifted_begin(sotto__shifted *shifted, const sotto_spec *spec, double *zeros);

/* What is kept from batch to batch: all but the scratch. Returns how many entries. */
uint32_t sotto__shifted_kept(sotto__shifted *shifted, sotto__kept kept[SOTTO__KEPT_MAX]);

/* What an off-diagonal entry of a released svec is multiplied by to be one of x x'. */
double sotto__off_diagonal(const sotto_spec *spec);

/* The vector part of a block of batch->sum, after its svec. */
const double *sotto__vector_part(const sotto_spec *spec, const double *sum, uint32_t block);

/* Forgets what drift has made old, then adds a batch: unit x its matrices to V, and its reports
 * to the noise. The caller adds to b, afterwards. */
void sotto__shifted_add(sotto__shifted *shifted, const sotto__batch *batch, double unit);

/* upsilon = sigma sqrt(t) (4 sqrt d + 2 ln(2 odds)), odds = T/alpha, with t = shifted->all. */
double sotto__upsilon(const sotto__shifted *shifted, double sigma, double odds);

/* Solves every block that has reports, with this shift or more, into model->theta (times `unit`)
 * and, where there is one, model->factor. A block whose numbers are not finite keeps what the model
 * has. Returns how often a shift was doubled. */
uint64_t sotto__shifted_solve(sotto__shifted *shifted, double shift, double unit,
                              sotto_model *model);

/* tr((V + c I)^-2) of a block that has a solution, c its shift; infinity if rounding leaves it
 * without a factor. Uses the scratch. */
double sotto__shifted_trace(const sotto__shifted *shifted, uint32_t block);

#endif
