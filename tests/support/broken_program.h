/* Programs outside, played in process: honest ones, and some whose claim is false. */
#ifndef SOTTO_BROKEN_PROGRAM_H
#define SOTTO_BROKEN_PROGRAM_H

#include "lab/audit/script.h"

enum {
    /* honest: */
    PROGRAM_LAPLACE,
    PROGRAM_GAUSSIAN,
    PROGRAM_HEAVY_TAIL, /* gaussian, 5 % of the draws with ten times the noise */
    PROGRAM_RESPONSE,   /* the sign of the first number, randomised */
    /* broken: */
    PROGRAM_LAPLACE_RELEASE,  /* prints its input once in 4,000 answers */
    PROGRAM_GAUSSIAN_RELEASE, /* prints its input once in 4,000 answers */
    PROGRAM_NEAR_RELEASE,     /* laplace; a ten-millionth of its noise once in 4,000 */
    PROGRAM_MIXTURE,          /* gaussian, 0.65 sigma, 5 % of the draws 0.1 sigma */
    PROGRAM_DISJOINT,         /* laplace of 4,096 values, odd ones for positive inputs */
};

typedef struct broken_program {
    uint32_t which;
    double scale; /* of its noise: sigma, or b */
} broken_program;

/* Makes the subject a program about which nothing is known but its epsilon and delta; what answers
 * is left to the caller. */
void broken_program_claim(sotto__subject *subject, uint32_t which, broken_program *out);

SOTTO_CHECK sotto_status broken_program_draw(const broken_program *program,
                                             const sotto__claim *claim, const double *x,
                                             sotto_rng *rng, sotto__answer *out);

#endif
