/*
 * What the people of measure rounds truly got: the sums that the server keeps, without the noise. Nobody
 * but the lab knows them.
 */
#ifndef SOTTO_LAB_PLAYER_TRUTH_H
#define SOTTO_LAB_PLAYER_TRUTH_H

#include <sotto/lab/runs.h>

typedef struct sotto__truth sotto__truth;

/* Reports of an epoch arrive `lag` epochs later. */
SOTTO_CHECK sotto_status sotto__truth_new(uint32_t arms, uint32_t lag, sotto__truth **out);
void sotto__truth_free(sotto__truth *truth); /* accepts NULL */

/* A measure round of an epoch whose model decides; the reward is clipped. */
void sotto__truth_add(sotto__truth *truth, uint32_t epoch, sotto_role role, uint32_t arm,
                      double reward);
/* The reports of this epoch are in what the server has just published; of several epochs the oldest comes first.
 * Where their number passes a power of two, what is recent begins anew, as in the server's measures. */
void sotto__truth_arrive(sotto__truth *truth, uint32_t epoch);

/* What the learner sees, beside what is true of the same people. */
SOTTO_CHECK sotto_status sotto__truth_measure(const sotto__truth *truth,
                                              const sotto_learner *learner,
                                              sotto_run_measurement *out);

#endif
