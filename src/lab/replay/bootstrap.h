/*
 * Intervals by drawing a log's groups again, with replacement: BCa (Efron 1987).
 *
 * A resample b draws G of the G groups; group j comes c_j times.
 *
 *   V_b   sum c_j (num_j + pull_j)/sum c_j den_j
 *   z0    Phi^-1(share of V_b below V, half of those that are equal)       the bias of the median
 *   a     sum psi_j^3/(6 (sum psi_j^2)^1.5)                                the skew
 *   ends  quantiles of V_b at Phi(z0 + (z0 + z)/(1 - a (z0 + z))), z = -+1.96
 *
 * BCa and not plain percentiles: weights 1/p and rare rewards are skewed, and percentiles are then short
 * on the side of the long tail. pull enters to first order: no model is fitted again (score
 * bootstrap; Kline and Santos 2012). Up to G rows a group is a row, and this is the usual bootstrap.
 *
 * The draws are always the same ones, and the same for all ratios of a call.
 */
#ifndef SOTTO_LAB_REPLAY_BOOTSTRAP_H
#define SOTTO_LAB_REPLAY_BOOTSTRAP_H

#include "ratio.h"

#define SOTTO__RESAMPLES 2000u
/* More resamples without a value (sum c_j den_j = 0) than this share: there is no interval. */
#define SOTTO__RESAMPLES_EMPTY_MAX 0.05

/* An interval for each of `count` ratios, of the first `groups` groups. Without an interval, lo and
 * hi are NAN. */
SOTTO_CHECK sotto_status sotto__bootstrap(const sotto__ratio *ratio, uint32_t count,
                                          uint32_t groups, sotto_estimate *out);

#endif
