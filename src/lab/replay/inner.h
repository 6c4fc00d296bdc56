/* What files of this room share. */
#ifndef SOTTO_LAB_REPLAY_INNER_H
#define SOTTO_LAB_REPLAY_INNER_H

#include "replay.h"

#include <sotto/lab/plans.h>

/* ---- ratio ---------------------------------------------------------------------------------- */

/*
 * A mean from sums by group, V = sum num_j/sum den_j, and how far chance can have moved it.
 *
 *   psi_j = (num_j - V den_j + pull_j)/sum den    what group j moves V by (its influence)
 *   se^2  = G/(G - 1) sum psi_j^2                 the interval is V -+ 1.96 se
 *
 * pull_j is what the group does to V through a model that was fitted to it. All pulls
 * sum to 0; without a model they are 0.
 */

typedef struct sotto__ratio {
    double num[SOTTO__GROUPS], den[SOTTO__GROUPS], pull[SOTTO__GROUPS];
} sotto__ratio;

/* Ratios are of the first `groups` groups. */
void sotto__ratio_influence(const sotto__ratio *ratio, uint32_t groups, double psi[SOTTO__GROUPS]);
/* Whether the groups differ by more than rounding; otherwise there is no interval. */
bool sotto__ratio_varies(const sotto__ratio *ratio, uint32_t groups);
/* Without an interval, lo and hi are NAN. */
sotto_estimate sotto__ratio_estimate(const sotto__ratio *ratio, uint32_t groups);

/* ---- bootstrap ------------------------------------------------------------------------------ */

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
 * We use BCa and not plain percentiles because weights 1/p and rare rewards are skewed: percentile
 * intervals are then too short on the side of the long tail. pull enters to first order: the model
 * is not fitted again (score bootstrap; Kline and Santos 2012). With at most G rows each group is
 * a row, and this is the usual bootstrap.
 *
 * The draws are fixed, and the same for all ratios of a call.
 */

#define SOTTO__RESAMPLES 2000u
/* If more than this share of resamples has no value (sum c_j den_j = 0), there is no interval. */
#define SOTTO__RESAMPLES_EMPTY_MAX 0.05

/* An interval for each of `count` ratios, of the first `groups` groups. Without an interval, lo and
 * hi are NAN. */
SOTTO_CHECK sotto_status sotto__bootstrap(const sotto__ratio *ratio, uint32_t count,
                                          uint32_t groups, sotto_estimate *out);

/* ---- constant_arm --------------------------------------------------------------------------- */

/* Rewards without learning: of one arm for everybody, of random arms, of the right arm for each
 * person. */

/* The total reward of people with labels if all get `arm`, or if each gets an arm drawn uniformly.
 * `label_count` has one number per label. Rewards are those of the rules' table; without one, the
 * arm of a person's label earns 1 and the others 0. */
double sotto__constant_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count, uint32_t arm);
double sotto__random_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                const uint64_t *label_count);
/* The total reward if each person gets the arm that earns most for them. */
double sotto__right_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                               const uint64_t *label_count);
/* hi - lo of rewards: differences are judged relative to it. */
double sotto__reward_range(const sotto__replay_rules *rules);
/* The arm that earns most if everybody gets it, the first of several. Without a table it is the
 * arm of the most common label. */
uint32_t sotto__best_constant_arm(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count);

/* ---- log_lead ------------------------------------------------------------------------------- */

/*
 * How far a policy is ahead of another one on the same log.
 *
 * Both are valued on the same events, so chance events that they share cancel. With V = sum w r/sum w of each, self-normalised,
 * and psi_j what group j of rows moves V by (inner.h):
 *
 *   lead = V_1 - V_2      se^2 = G/(G - 1) sum (psi_1j - psi_2j)^2      interval: lead -+ z se
 *
 * The best arm in hindsight is the best of K by chance, so z is that of K comparisons at once, P(|N(0,1)| > z) = 0.05/K
 * (Bonferroni).
 */

/* Policies with a smaller effective size (Kish) are not compared. */
#define SOTTO__AGREED_TELL 30

typedef struct sotto__log_policy {
    sotto__agreed group[SOTTO__GROUPS];
    double effective_size; /* of one run over the log */
} sotto__log_policy;

/* Adds a run; call it for several seeds of the same method. The second function makes the policy
 * that gives everybody `arm`; the yardstick must have kept groups. */
void sotto__log_policy_add(sotto__log_policy *policy, const sotto__evidence *evidence);
void sotto__log_policy_of_arm(const sotto__yardstick *yardstick, uint32_t arm,
                              sotto__log_policy *out);

double sotto__log_value(const sotto__log_policy *policy); /* V; NAN: no events */

/* NAN: too few events agree with one of the policies. `comparisons` is K, at least 1; `rows` are
 * those of the log. */
sotto_span sotto__log_lead(const sotto__log_policy *policy, const sotto__log_policy *other,
                           uint64_t rows, uint32_t comparisons);

/* ---- needed --------------------------------------------------------------------------------- */

/* How many people a private method would need, by the plan. */

/* A data set as the plan sees it. */
typedef struct sotto__need {
    uint32_t dim, arms; /* of the method's vectors */
    sotto_parameters parameters;
    double epsilon;
    double gain;  /* the possible gain, above 0 */
    double share; /* the share of it to be won, 0 to 1 */
} sotto__need;

/* The number of people from which method sotto wins that share. The plan's world has evenly spread
 * contexts, and a parameter just long enough for this gain over a random arm. 0: the plan cannot
 * tell, or more than SOTTO_HORIZON_MAX people are needed. */
uint64_t sotto__people_needed(const sotto__need *need);

/* How many people of a file count as one of the plan's, if `people` of them won the share. NAN:
 * the share is too small, or the plan cannot tell. A share above a half counts as a half, because
 * curves of files end lower than the plan's. */
double sotto__people_per_planned(const sotto__need *won, uint64_t people);

#endif
