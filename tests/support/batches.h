/* Fixtures of the estimators' tests: estimators with their models, made-up sums, dense algebra. */
#ifndef SOTTO_BATCHES_H
#define SOTTO_BATCHES_H

#include "server/server.h"
#include "tape.h"

#define DENSE_MAX 8 /* rows of a dense matrix at most */

/* Method and score, 3 numbers, 3 arms, otherwise as sotto_spec_default. */
sotto_spec learner_spec(sotto_method method, sotto_score score, sotto_parameters parameters);

/* Horizon 1000, no warm-up, alpha 0.1, steps 5/t, projected, the shift of theory. */
sotto_learning plain_learning(void);

/* An estimator and the model it writes; resolved and learning live in it. */
typedef struct subject {
    sotto_terms terms;
    sotto_learning learning;
    sotto_model *model;
    sotto__estimator *estimator;
} subject;

/* With plain learning if it is NULL; until the test ends. */
subject *subject_new(const sotto_spec *spec, const sotto_learning *learning);

/* Absorbs, and counts the reports as the learner does. */
void subject_absorb(subject *s, const sotto__batch *batch);

/* Standard normals times `scale`. */
void fill_normals(tape *random, double scale, double *out, uint32_t count);

/* x = A^-1 b by Gauss elimination with row pivots; A is n x n, row-major, n <= DENSE_MAX. */
void dense_solve(const double *a, const double *b, double *x, uint32_t n);

/* Every number of got within tolerance x max(1, the largest |wanted|) of wanted. */
void assert_all_near(const double *got, const double *wanted, uint32_t count, double tolerance);

#endif
