/* The extreme eigenvalues of a symmetric matrix. */
#ifndef SOTTO_LAB_MATH_EIGEN_H
#define SOTTO_LAB_MATH_EIGEN_H

#include <stdint.h>

typedef struct sotto__extremes {
    double smallest, largest;
} sotto__extremes;

/* Of the packed symmetric A (see linalg.h), n at least 1, all finite. A is used up; `scratch` has
 * 2n numbers. Right to a few roundings of the largest |eigenvalue|. */
sotto__extremes sotto__eigen_extremes(double *a, uint32_t n, double *scratch);

#endif
