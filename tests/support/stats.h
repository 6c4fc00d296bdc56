/* The statistics of statistical tests. Every bound comes from a stated false-alarm rate. */
#ifndef SOTTO_STATS_H
#define SOTTO_STATS_H

#include <stdint.h>

/* z with P(|N(0,1)| > z) = 1e-6, the false-alarm rate of a test in CI. */
#define Z_FALSE_ALARM 4.892

/* Running mean and variance (Welford). */
typedef struct running {
    uint64_t count;
    double mean, squares;
} running;

void running_add(running *r, double x);
double running_standard_error(const running *r);

#endif
