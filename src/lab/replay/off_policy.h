/*
 * Off-policy evaluation: what a method would have earned, from a log of what others did.
 *
 * An event of a log is a context, the arm a_t that was given, its reward r_t, and the chance p_t that
 * the logging policy gave that arm to that context. A method that would have given the arm b_t:
 *
 *   w_t = 1{b_t = a_t}/max(p_t, clip)
 *   value            (1/n) sum w_t r_t, over all n events   (Horvitz and Thompson 1952, clipped)
 *   its interval     value -+ 1.96 s/sqrt(n), s^2 the sample variance of w_t r_t
 *   self-normalised  sum w_t r_t/sum w_t                    (Swaminathan and Joachims 2015)
 *   effective size   (sum w_t)^2/sum w_t^2                  (Kish 1965)
 *
 * E[w_t r_t] is what b_t earns in the mean wherever every p_t is at least the clip; a clipped event
 * counts for less than it should. Events of weight 1 give a plain mean.
 */
#ifndef SOTTO_LAB_REPLAY_OFF_POLICY_H
#define SOTTO_LAB_REPLAY_OFF_POLICY_H

#include <sotto/lab/replays.h>

#define SOTTO__NORMAL_95 1.95996398454005423552 /* P(|N(0,1)| > this) = 0.05 */

/* Sums over the events on which the method agreed; the others add nothing. */
typedef struct sotto__off_policy {
    uint64_t matched;
    double weight, weight_squares;
    double product, product_squares; /* of w r */
} sotto__off_policy;

/* An event on which the method agreed. propensity above 0, at most 1; clip likewise, or 0. */
void sotto__off_policy_add(sotto__off_policy *sums, double reward, double propensity, double clip);

/* Adds the events of another one. */
void sotto__off_policy_join(sotto__off_policy *sums, const sotto__off_policy *other);

sotto_estimate sotto__off_policy_value(const sotto__off_policy *sums, uint64_t events);
double sotto__off_policy_self_normalised(const sotto__off_policy *sums); /* NAN: no weight */
double sotto__off_policy_effective_size(const sotto__off_policy *sums);  /* 0: no weight */

#endif
