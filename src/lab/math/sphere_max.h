/* Expectations over the best of several arms, by quadrature. */
#ifndef SOTTO_LAB_MATH_SPHERE_MAX_H
#define SOTTO_LAB_MATH_SPHERE_MAX_H

#include <stdint.h>

/* E[of(c, state)], c the largest of `arms` independent first coordinates of uniform unit vectors of
 * R^dim: what the arms' contexts have along a direction. dim and arms at least 1; right to 1e-9 for
 * smooth functions of up to 1024 arms. */
typedef double sotto__sphere_function(double c, const void *state);
double sotto__sphere_max(uint32_t dim, uint32_t arms, sotto__sphere_function *of,
                         const void *state);

/* E c: M of plan.c. */
double sotto__sphere_max_mean(uint32_t dim, uint32_t arms);

/* c_K, the mean of the largest of `arms` independent normals. */
double sotto__normal_max_mean(uint32_t arms);

#endif
