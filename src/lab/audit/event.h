/* Layer 3: what the chances of one event under two secrets say about epsilon. */
#ifndef SOTTO_LAB_AUDIT_EVENT_H
#define SOTTO_LAB_AUDIT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* A trial whose secret is known: large witnesses should speak for secret 0. */
typedef struct sotto__witnessed_trial {
    double witness;
    uint32_t secret; /* 0 or 1 */
} sotto__witnessed_trial;

/* The witnesses on one side of a threshold. */
typedef struct sotto__event {
    double threshold; /* itself inside */
    bool above;
    uint32_t secret; /* for which it speaks */
    double promise;  /* about the epsilon that fresh trials will show */
} sotto__event;

bool sotto__event_holds(const sotto__event *event, double witness);

/* The event that, by this sample, will show the largest epsilon on `fresh` (> 0) other trials. The
 * sample is sorted on return. */
sotto__event sotto__choose_event(sotto__witnessed_trial *sample, uint64_t count, uint64_t fresh,
                                 double delta, double alpha);

/* By secret: trials, and those in which the event held. */
typedef struct sotto__hits {
    uint64_t trials[2], hits[2];
} sotto__hits;

/* A lower bound on the epsilon of any mechanism that showed these hits, wrong with probability at
 * most alpha; `secret` is the one that the event speaks for. 0 if nothing is shown. */
double sotto__epsilon_lower(const sotto__hits *hits, uint32_t secret, double delta, double alpha);

/* The smallest alpha at which these hits contradict (epsilon, delta). */
double sotto__epsilon_p(const sotto__hits *hits, uint32_t secret, double epsilon, double delta);

/* The bound for a mechanism that publishes its input, after `trials` of each secret: the largest. */
double sotto__epsilon_reach(uint64_t trials, double delta, double alpha);

#endif
