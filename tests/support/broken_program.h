/* External programs, simulated in this process: honest ones, and some whose claim is false. */
#ifndef SOTTO_BROKEN_PROGRAM_H
#define SOTTO_BROKEN_PROGRAM_H

#include "lab/audit/inner.h"

enum {
    /* honest: */
    PROGRAM_LAPLACE,
    PROGRAM_GAUSSIAN,
    PROGRAM_HEAVY_TAIL, /* gaussian, 5 % of the draws with ten times the noise */
    PROGRAM_RESPONSE,   /* the sign of the first number, randomised */
    /* broken: */
    PROGRAM_LAPLACE_RELEASE,  /* prints its input once in 4,000 answers */
    PROGRAM_GAUSSIAN_RELEASE, /* prints its input once in 4,000 answers */
    PROGRAM_NEAR_RELEASE,     /* laplace; once in 4,000 answers a ten-millionth of the noise */
    PROGRAM_MIXTURE,          /* gaussian, 0.65 sigma, 5 % of the draws 0.1 sigma */
    PROGRAM_DISJOINT,         /* laplace of 4,096 values, odd ones for positive inputs */
    /* broken, with a memory: */
    PROGRAM_PREVIOUS,     /* prints the previous input */
    PROGRAM_LONG_MEMORY,  /* laplace, with a tenth of the input four before */
    PROGRAM_NEGATED,      /* laplace; every second pair repeats the previous noise, negated */
    PROGRAM_SIZED,        /* likewise, with a random sign */
    PROGRAM_FIRST_CLEAR,  /* laplace; prints its first 1,000 inputs exactly */
    PROGRAM_FIRST_TRUE,   /* the sign of the first number, exact in the first 1,000 answers */
    PROGRAM_BLANK,        /* laplace; a blank after the numbers of positive inputs */
    PROGRAM_PLUS_OF_LAST, /* laplace; a plus sign if the previous input was positive */
    PROGRAM_SAME,         /* 1 if its input equals the previous one, otherwise -1 */
    PROGRAM_SAME_BEFORE,  /* laplace; a plus sign if the two previous inputs were equal */
    PROGRAM_FIRST_TURNED, /* laplace; its first 1,000 answers are -x (0.5 + uniform) */
    PROGRAM_FIRST_TURNS,  /* the same with x and -x alternating */
    PROGRAM_FIRST_BLANK,  /* laplace; blanks reveal its first 1,000 inputs and no later ones */
};

#define PROGRAM_MEMORY 4u

typedef struct broken_program {
    uint32_t which;
    double scale;                                              /* of its noise: sigma, or b */
    uint64_t answers;                                          /* so far */
    double input[PROGRAM_MEMORY][8], noise[PROGRAM_MEMORY][8]; /* answer t: at t % PROGRAM_MEMORY */
} broken_program;

/* Makes the subject a program of which only epsilon and delta are known; the caller sets the
 * function that answers. */
void broken_program_claim(sotto__subject *subject, uint32_t which, broken_program *out);

SOTTO_CHECK sotto_status broken_program_draw(broken_program *program,
                                             const sotto__privacy_claim *claim, const double *x,
                                             sotto_rng *rng, sotto__subject_answer *out);

#endif
