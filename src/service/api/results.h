/* What the policy is worth, by measure rounds (docs/methods.md), as of the last publish. */
#ifndef SERVICE_RESULTS_H
#define SERVICE_RESULTS_H

#include "service/experiment/experiment.h"

#include <jansson.h>

#define RESULTS_ALPHA 0.05

/* The argument `alpha` of a request; NULL: RESULTS_ALPHA. False, and *why, unless it is between 0 and 1. */
bool results_read_alpha(const char *text, double *alpha, sottod_refusal *why);
/* "measurement" is null for terms without measure rounds. NULL: no memory. */
json_t *results_json(const sottod_experiment *experiment, double alpha);
/* What the policy earns has fallen again, for certain: the recent uplift lies below the uplift so far, interval below
 * interval. At two chances alpha; false says nothing. */
bool results_fallen(const sotto_measurement *m);

/* Harm and the fallback, as in the results. */
json_t *results_harm(const sottod_experiment *experiment);

#endif
