/* How a method stands next to one arm for all. */
#ifndef SOTTO_LAB_REPLAY_VERDICT_H
#define SOTTO_LAB_REPLAY_VERDICT_H

#include "off_policy.h"

#include <sotto/lab/replays.h>

#define SOTTO__SEEDS_TELL 5u /* with fewer, 3 standard errors are too often too short */

sotto_span sotto__span_of(const double *number, uint32_t count);

/* How far a method lies above one arm for all, in hindsight and by best-arm; the latter is NAN where it did not play,
 * and then does not count. */
bool sotto__is_above(sotto_span ahead, sotto_span ahead_best_arm);
bool sotto__is_below_one_arm(sotto_span ahead, sotto_span ahead_best_arm);

/* `chance` is how far the reward lies above that of random arms. */
sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span ahead_best_arm,
                                              sotto_span chance);

/* `method` and `logging` are values by inverse propensity: intervals that do not overlap make a difference. */
sotto_replay_verdict sotto__verdict_on_log(sotto_span ahead, sotto_span ahead_best_arm,
                                           sotto_estimate method, sotto_estimate logging);

/* Whether an interval holds the whole range of what it is of, and so says nothing. */
bool sotto__says_nothing(double lo, double hi, sotto_span range);

#endif
