/* The precision 1/P of per-arm scores `self`, which grows ever more slowly. */
#ifndef SOTTO_DAMPED_PRECISION_H
#define SOTTO_DAMPED_PRECISION_H

#include "side.h"

#include <stdint.h>

typedef struct sotto__damping {
    double first;    /* 1/P_0 */
    double range;    /* R */
    double added;    /* what a report adds to 1/P_0 */
    uint64_t window; /* W; 0: all reports are remembered */
} sotto__damping;

/* 1/P after so many reports more; 1/P itself if there are none. Up to SOTTO__LOOP_REPORTS_MAX of them are
 * gone through one by one. */
double sotto__run_damped(const sotto__damping *damping, uint64_t reports, double precision);

#endif
