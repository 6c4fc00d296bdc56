/* The rows of the table of estimators. */
#ifndef SOTTO_ESTIMATOR_ROWS_H
#define SOTTO_ESTIMATOR_ROWS_H

#include "estimator.h"

sotto__estimator_maker sotto__least_squares_new; /* ldp-ols, ldp-ucb, sotto-ols */
sotto__estimator_maker sotto__sgd_new;           /* ldp-sgd */
sotto__estimator_maker sotto__gloc_new;          /* ldp-gloc */
sotto__estimator_maker sotto__averaged_new; /* sotto, shared, sign, huber, or self below dim 5 */
sotto__estimator_maker sotto__tracked_new;  /* sotto, per-arm, or self from dim 5 on */
sotto__estimator_maker sotto__best_arm_new; /* best-arm */

#endif
