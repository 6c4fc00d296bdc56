/*
 * How far a policy is ahead of another one on the same log.
 *
 * Both are valued on the same events, so luck that they share cancels. With V = sum w r/sum w of each, self-normalised,
 * and psi_j what group j of rows moves V by (ratio.h):
 *
 *   lead = V_1 - V_2      se^2 = G/(G - 1) sum (psi_1j - psi_2j)^2      interval: lead -+ z se
 *
 * The best arm in hindsight is the luckiest of K, so z is that of K comparisons at once, P(|N(0,1)| > z) = 0.05/K
 * (Bonferroni).
 */
#ifndef SOTTO_LAB_REPLAY_LOG_LEAD_H
#define SOTTO_LAB_REPLAY_LOG_LEAD_H

#include "evidence.h"
#include "yardstick.h"

/* Fewer events, as weights make them count (Kish), tell nothing. */
#define SOTTO__AGREED_TELL 30

typedef struct sotto__log_policy {
    sotto__agreed group[SOTTO__GROUPS];
    double effective_size; /* of one run over the log */
} sotto__log_policy;

/* The same method with several seeds; and an arm for everybody, of which the yardstick kept groups. */
void sotto__log_policy_add(sotto__log_policy *policy, const sotto__evidence *evidence);
void sotto__log_policy_of_arm(const sotto__yardstick *yardstick, uint32_t arm,
                              sotto__log_policy *out);

double sotto__log_value(const sotto__log_policy *policy); /* V; NAN: no events */

/* NAN: too few events agree with one of them to tell. `comparisons` is K, at least 1; `rows` are those of the log. */
sotto_span sotto__log_lead(const sotto__log_policy *policy, const sotto__log_policy *other,
                           uint64_t rows, uint32_t comparisons);

#endif
