/* What many runs gave, in a few numbers. NAN where there is no answer. */
#ifndef SOTTO_LAB_MATH_MOMENTS_H
#define SOTTO_LAB_MATH_MOMENTS_H

#include <stdint.h>

double sotto__mean(const double *x, uint32_t count);
double sotto__deviation(const double *x, uint32_t count); /* standard deviation, count - 1 below */
double sotto__standard_error(const double *x, uint32_t count); /* of the mean */

/* Sorts x. */
void sotto__sort(double *x, uint32_t count);
/* Of sorted numbers, between neighbours by a straight line; p from 0 to 1. */
double sotto__quantile(const double *sorted, uint32_t count, double p);

/* The slope of the straight line through (x, y) by least squares; count at least 2. */
double sotto__slope(const double *x, const double *y, uint32_t count);

#endif
