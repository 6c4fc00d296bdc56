/* What privacy leaves to learn: whether anything beats the majority arm, and at which epsilon. */
#ifndef SOTTO_LAB_REPLAY_FINDING_H
#define SOTTO_LAB_REPLAY_FINDING_H

#include "verdict.h"

#include <sotto/core.h>

#define SOTTO__LEAD_MIN 0.02 /* a lead that cannot be this large is none */

/* How far a method at an epsilon is ahead of the majority arm. */
typedef struct sotto__lead {
    double epsilon; /* INFINITY: not private */
    sotto_span ahead;
} sotto__lead;

/* Of the methods with this epsilon; NULL: of all methods. */
sotto_replay_finding sotto__finding_of(const sotto__lead *lead, uint32_t count,
                                       const double *epsilon);

SOTTO_CHECK sotto_status sotto__findings_of(const sotto__lead *lead, uint32_t count,
                                            sotto_replay_findings *out);
void sotto__findings_free(sotto_replay_findings *findings);

#endif
