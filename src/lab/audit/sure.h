/* Layer 3, all pairs together: guesses that are made only where an answer says much. */
#ifndef SOTTO_LAB_AUDIT_SURE_H
#define SOTTO_LAB_AUDIT_SURE_H

#include "event.h"

/* Level k guesses on about one in 2^k of the answers that say anything. */
#define SOTTO__SURE_LEVELS 13u

/* The guesses by one witness, whose sign names the secret: above 0 for secret 0. */
typedef struct sotto__sure {
    double threshold[SOTTO__SURE_LEVELS]; /* of the witness's size, rising */
    uint64_t trials;
    uint64_t right[SOTTO__SURE_LEVELS], wrong[SOTTO__SURE_LEVELS]; /* that go no further up */
} sotto__sure;

/* Sets the thresholds for the trials to come by witnesses of other trials, which are spoiled. What was
 * counted stays. */
void sotto__sure_aim(sotto__sure *sure, sotto__witnessed_trial *sample, uint64_t count);

/* A fresh trial, whose secret a fair coin chose. */
void sotto__sure_take(sotto__sure *sure, uint32_t secret, double witness);

/* A lower bound on the epsilon of any mechanism that was guessed so well by the best of these
 * witnesses, wrong with probability at most alpha; 0 if nothing is shown. */
double sotto__sure_lower(const sotto__sure *sure, uint32_t count, double delta, double alpha);

/* The smallest alpha at which these guesses contradict (epsilon, delta). */
double sotto__sure_p(const sotto__sure *sure, uint32_t count, double epsilon, double delta);

#endif
