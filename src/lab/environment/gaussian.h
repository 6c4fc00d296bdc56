/* The lower bound's instance. */
#ifndef SOTTO_LAB_ENVIRONMENT_GAUSSIAN_H
#define SOTTO_LAB_ENVIRONMENT_GAUSSIAN_H

#include <stdint.h>

/* ||theta*|| of the lower bound's instance: min(1, d/((e^eps - 1) sqrt T)), small enough
 * that no method finds it in time. */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon);

#endif
