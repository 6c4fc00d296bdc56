/* What a person has spent, and whether a policy admits another report. */
#ifndef SOTTO_BUDGET_H
#define SOTTO_BUDGET_H

#include "side.h"

#include <sotto/client.h>

typedef struct sotto__spent {
    uint64_t rounds;
    double epsilon; /* sum over all rounds */
    double delta;
    double epsilon_max; /* largest of one round */
    double delta_max;
    /* epsilon_per_report_max of the policy that booked the first round: rounds are composed at it and
     * at no other. 0: not known. Means nothing before the first round. */
    double composed_at;
} sotto__spent;

/* NULL if the policy admits another round of (epsilon, delta); otherwise `text`, saying which limit
 * it would pass, with the numbers. */
const char *sotto__budget_refusal(const sotto__spent *spent, double epsilon, double delta,
                                  const sotto_policy *policy, char text[SOTTO_FAULT_BYTES]);

void sotto__spend(sotto__spent *spent, double epsilon, double delta);
/* Before each round is booked: the first one settles at which epsilon rounds are composed. */
void sotto__settle(sotto__spent *spent, const sotto_policy *policy);

/* The smallest total epsilon at this total delta: by the sum, or by optimal composition of as many
 * rounds at the largest epsilon and delta. Infinite if neither has so small a delta. */
double sotto__spent_epsilon(const sotto__spent *spent, double delta_total);

#endif
