/* Logistic regression with a ridge: the demand that a data set shows. */
#ifndef SOTTO_LAB_MATH_LOGISTIC_FIT_H
#define SOTTO_LAB_MATH_LOGISTIC_FIT_H

#include <sotto/core.h>

/* What is fitted: `rows` yes-or-no answers. */
typedef struct sotto__logistic_data {
    uint64_t rows;
    uint32_t dim; /* 1 to SOTTO_DIM_MAX */
    double ridge; /* lambda, at least 0; above 0 every data set has one finite optimum */
    /* Writes x of a row, dim numbers, and returns its answer. */
    bool (*row)(const void *state, uint64_t row, double *x);
    const void *state;
} sotto__logistic_data;

typedef struct sotto__logistic_result {
    bool converged; /* false: theta is where the search ended, and no optimum */
    uint32_t steps; /* of Newton */
    double loss;
    double gradient_norm;
} sotto__logistic_result;

/* Sets theta (dim numbers) to the minimum of
 * sum_i log(1 + exp(-s_i x_i . theta)) + lambda/2 ||theta||^2, s_i = +1 for yes and -1 for no.
 * Converged means a gradient of at most 1e-9 per row. */
SOTTO_CHECK sotto_status sotto__logistic_fit(const sotto__logistic_data *data, double *theta,
                                             sotto__logistic_result *result);

#endif
