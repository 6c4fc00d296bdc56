/* The precision 1/P of the tracked estimator, and what reports add to it. */
#ifndef SOTTO_PRECISION_H
#define SOTTO_PRECISION_H

#include "side.h"

#include <sotto/server.h>

#define SOTTO__CHOSEN_SLOPE 0.7 /* h: what is left of S where contexts are those of a chosen arm */

/* 1/P of theta = 0: d/D^2, or the prior of the settings where they have one. */
double sotto__first_precision(const sotto_spec *spec, const sotto_learning *learning);

/* Runs 1/P over the reports, each of which adds information S^2 to it, with S from the P before
 * it; returns S of the last of them, 0 if there is none. Under drift 1/P is never more than `first`,
 * 1/P of theta = 0, + W times what the report adds. Per-arm scores `self` go by damped_precision.h. Up to
 * SOTTO__LOOP_REPORTS_MAX reports are gone through one by one. */
double sotto__run_precision(const sotto_spec *spec, double first, double information,
                            uint64_t reports, double *precision);

#endif
