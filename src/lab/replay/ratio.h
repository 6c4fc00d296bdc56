/*
 * A mean from sums by group, V = sum num_j/sum den_j, and how far luck can have moved it.
 *
 *   psi_j = (num_j - V den_j + pull_j)/sum den    what group j moves V by (its influence)
 *   se^2  = G/(G - 1) sum psi_j^2                 the interval is V -+ 1.96 se
 *
 * pull_j is what the group does to V through a model that was fitted to it. All pulls
 * sum to 0; without a model they are 0.
 */
#ifndef SOTTO_LAB_REPLAY_RATIO_H
#define SOTTO_LAB_REPLAY_RATIO_H

#include "group.h"
#include "off_policy.h"

typedef struct sotto__ratio {
    double num[SOTTO__GROUPS], den[SOTTO__GROUPS], pull[SOTTO__GROUPS];
} sotto__ratio;

/* NAN if the denominators are all 0. Ratios are of the first `groups` groups. */
double sotto__ratio_value(const sotto__ratio *ratio, uint32_t groups);
void sotto__ratio_influence(const sotto__ratio *ratio, uint32_t groups, double psi[SOTTO__GROUPS]);
/* Whether the groups differ by more than rounding; otherwise there is no interval. */
bool sotto__ratio_varies(const sotto__ratio *ratio, uint32_t groups);
/* Without an interval, lo and hi are NAN. */
sotto_estimate sotto__ratio_estimate(const sotto__ratio *ratio, uint32_t groups);

#endif
