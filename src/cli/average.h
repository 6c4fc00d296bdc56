/* Averages over seeds. */
#ifndef SOTTO_AVERAGE_H
#define SOTTO_AVERAGE_H

#include <stdint.h>

double average_mean(const double *x, uint32_t count);  /* NAN of nothing */
double average_error(const double *x, uint32_t count); /* of the mean; NAN of fewer than two */

#endif
