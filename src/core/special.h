/* Special functions of real arguments. Used for constants only, never for anything that must agree
 * bit for bit between machines. */
#ifndef SOTTO_SPECIAL_H
#define SOTTO_SPECIAL_H

#include "ieee.h"

/* ln Gamma(x), x > 0. Unlike lgamma() it writes no global. */
double sotto__log_gamma(double x);

/* ln Beta(a, b), a, b > 0. */
double sotto__log_beta(double a, double b);

/* I_x(a, b), the regularised incomplete beta function; x in [0, 1], a, b > 0. */
double sotto__incomplete_beta(double x, double a, double b);

/* ln Phi(x), Phi the normal distribution function; any finite x. */
double sotto__log_normal_cdf(double x);

#endif
