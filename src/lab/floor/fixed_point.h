/* Where a falling function meets its argument. */
#ifndef SOTTO_LAB_FLOOR_FIXED_POINT_H
#define SOTTO_LAB_FLOOR_FIXED_POINT_H

/* Falls, or stays, as rho grows. */
typedef double sotto__falling(double rho, void *state);

/* rho = f(rho), found to `tolerance` times rho. f(low) >= low >= 0, and f(high) <= high. */
double sotto__fixed_point(sotto__falling *f, void *state, double low, double high,
                          double tolerance);

#endif
