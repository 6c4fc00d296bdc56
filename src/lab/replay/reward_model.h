/*
 * What an arm earns from a person, learnt from the whole log: the model of the direct method.
 *
 * One ridge regression per arm and fold. Rows of fold k are predicted by what the rows of all other
 * folds taught (cross-fitting; Chernozhukov et al. 2018), so no row is predicted by a model
 * that has seen its reward:
 *
 *   mu_k      mean reward of all rows outside of fold k, whatever their arm
 *   theta_ak  (sum x x' + 0.1 I)^-1 sum x (r - mu_k), over rows of arm a outside of fold k
 *   q(x, a)   mu_k + x.theta_ak, for a row of fold k
 *
 * An arm without rows is predicted to earn mu_k. Contexts are at most 1 long, so the ridge counts
 * like a tenth of a row in every direction: docs/data.md, section 4, says what a larger one cost.
 *
 * How far theta_a may be off follows from the scores of its rows, (sum x x' + 0.1 I)^-1 x (r - q(x, a)):
 * kept as sums by group, with r - q(x, a) of the fold's own model.
 *
 * The log is read twice: all of it is added, the model solved, all of it scored.
 */
#ifndef SOTTO_LAB_REPLAY_REWARD_MODEL_H
#define SOTTO_LAB_REPLAY_REWARD_MODEL_H

#include "group.h"
#include "lab/dataset/dataset.h"

#define SOTTO__REWARD_MODEL_ROWS_MIN 10u                    /* fewer rows make no model */
#define SOTTO__REWARD_MODEL_BYTES_MAX (UINT64_C(256) << 20) /* of memory */

typedef struct sotto__reward_model {
    uint32_t arms, dim;
    uint64_t rows;                                             /* added */
    uint64_t scored;                                           /* rows */
    double fold_rows[SOTTO__FOLDS], fold_reward[SOTTO__FOLDS]; /* counts, sums */
    double mean[SOTTO__FOLDS];                                 /* mu_k */
    double *gram;    /* folds x arms x packed: sums of x x' */
    double *context; /* folds x arms x dim: sums of x */
    double *product; /* folds x arms x dim: sums of x r */
    double *theta;   /* folds x arms x dim */
    double *factor;  /* arms x packed: Cholesky of sum x x' + 0.1 I over all folds */
    double *score;   /* groups x arms x dim: sums of x (r - q(x, a)) */
} sotto__reward_model;

/* Bytes that a model takes. */
uint64_t sotto__reward_model_bytes(uint32_t arms, uint32_t dim);

SOTTO_CHECK sotto_status sotto__reward_model_new(uint32_t arms, uint32_t dim,
                                                 sotto__reward_model **out);
void sotto__reward_model_free(sotto__reward_model *model); /* accepts NULL */

/* The next rows of the log. */
void sotto__reward_model_add(sotto__reward_model *model, const sotto_people *people);
/* False: fewer rows than SOTTO__REWARD_MODEL_ROWS_MIN. */
bool sotto__reward_model_solve(sotto__reward_model *model);
/* The next rows of the log, once more. */
void sotto__reward_model_score(sotto__reward_model *model, const sotto_people *people);

/* q(x, a) for this row of the file. */
double sotto__reward_model_predict(const sotto__reward_model *model, uint64_t row, const double *x,
                                   uint32_t arm);

/* How far the sum of predictions moves if a group counts once more: sum_a (A_a^-1 given_a).score_ja for
 * every group j, where given_a (arms x dim) is the sum of the contexts that arm a is given to. */
SOTTO_CHECK sotto_status sotto__reward_model_pull(const sotto__reward_model *model,
                                                  const double *given, double pull[SOTTO__GROUPS]);

#endif
