/* What the steps of an epoch's reports add up to, without going through the reports. */
#ifndef SOTTO_STEP_SUM_H
#define SOTTO_STEP_SUM_H

#include "side.h"

#include <sotto/server.h>

/* Up to so many reports an estimator goes through them one by one; above it takes closed forms,
 * which agree within rounding. Both are bounded, so that publishing costs what the model has
 * parameters, not what the epoch has reports. */
#define SOTTO__LOOP_REPORTS_MAX 4096

/* A clock that ticks once per report: first, first + stride, ..., count times; stride > 0. It reads
 * lo where it would be below, lo > 0, and hi where it would be above, hi >= lo, maybe INFINITY. */
typedef struct sotto__clock {
    double first;
    double stride;
    uint64_t count;
    double lo;
    double hi;
} sotto__clock;

/* The sum of 1/s (SOTTO_STEP_INVERSE) or 1/sqrt s (SOTTO_STEP_SQRT) over the clock's readings s. */
double sotto__step_sum(sotto_step step, const sotto__clock *clock);

/* prod of 1 - 4/(t + 3) over t = min(u, W), u = before + 1, ..., before + count; W = 0: t = u. */
double sotto__average_kept(uint64_t before, uint64_t count, uint64_t window);

#endif
