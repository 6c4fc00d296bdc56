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

/* Copies all of it; both have room for so many arms. */
void sotto__measures_copy(const sotto__measures *from, uint32_t arms, sotto__measures *to);
/* Adds the measure rounds of one epoch, if its model decides. */
void sotto__measures_add(sotto__measures *measures, const sotto_tally *tally);

/* log2, rounded down; 0 for 0. */
uint32_t sotto__log2_floor(uint64_t n);
/* j of those counts: log2 of follow and control together, rounded down; 0 for none. */
uint32_t sotto__measures_doublings(const sotto__measures *measures);

/* The half-width of an interval for the mean of n values of +1 and -1 that holds for all n at once with
 * chance 1 - alpha. Infinite for n = 0. */
double sotto__measure_width(uint64_t n, double alpha);

/* What they say: sotto_learner_measure and sotto_learner_measure_arm of these counts and sums. */
sotto_status sotto__measurement(const sotto_terms *terms, const sotto__measures *measures,
                                double alpha, sotto_measurement *out);
sotto_status sotto__arm_measurement(const sotto_terms *terms, const sotto__measures *measures,
                                    double alpha, uint32_t arm, sotto_arm_measurement *out);

#endif
