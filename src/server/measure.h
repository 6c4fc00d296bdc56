/* What measure rounds add up to, over the epochs of a learner. */
#ifndef SOTTO_MEASURE_H
#define SOTTO_MEASURE_H

#include "tally.h"

typedef struct sotto__measures {
    sotto__measured follow, control;               /* over all epochs whose model decides */
    sotto__measured recent_follow, recent_control; /* since their number was last a power of two */
    uint32_t doublings;                            /* j: that power is 2^j */
    sotto__measured *control_arm;                  /* arms */
} sotto__measures;

/* Adds the measure rounds of one epoch, if its model decides. */
void sotto__measures_add(sotto__measures *measures, const sotto_tally *tally);

/* j of those counts: log2 of follow and control together, rounded down; 0 for none. */
uint32_t sotto__measures_doublings(const sotto__measures *measures);

/* The half-width of an interval for the mean of n values of +1 and -1 that holds for all n at once with
 * chance 1 - alpha. Infinite for n = 0. */
double sotto__measure_width(uint64_t n, double alpha);

#endif
