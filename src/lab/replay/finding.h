/* What privacy leaves to learn: whether anything beats the majority arm, and at which epsilon. */
#ifndef SOTTO_LAB_REPLAY_FINDING_H
#define SOTTO_LAB_REPLAY_FINDING_H

#include "verdict.h"

#include <sotto/core.h>

#define SOTTO__LEAD_MIN 0.02 /* a lead that cannot be this large is none */

typedef enum sotto__finding {
    SOTTO__FINDING_BEATEN,  /* a method beats the majority arm */
    SOTTO__FINDING_NOTHING, /* none is ahead by SOTTO__LEAD_MIN */
    SOTTO__FINDING_UNKNOWN, /* so many seeds cannot tell */
} sotto__finding;

/* How far a method at an epsilon is ahead of the majority arm. */
typedef struct sotto__lead {
    double epsilon; /* INFINITY: not private */
    sotto__span ahead;
} sotto__lead;

/* Of the methods with this epsilon; NULL: of all methods. */
sotto__finding sotto__finding_of(const sotto__lead *lead, uint32_t count, const double *epsilon);

typedef struct sotto__findings {
    sotto__finding all;      /* of all methods */
    sotto__finding open;     /* of those without privacy */
    uint32_t epsilons_count; /* of private methods, in the order of their first one */
    double *epsilon;
    sotto__finding *finding; /* of the private methods at each epsilon */
} sotto__findings;

SOTTO_CHECK sotto_status sotto__findings_of(const sotto__lead *lead, uint32_t count,
                                            sotto__findings *out);
void sotto__findings_free(sotto__findings *findings);

#endif
