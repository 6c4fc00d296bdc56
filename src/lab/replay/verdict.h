/* How a method stands next to what needs no learning. */
#ifndef SOTTO_LAB_REPLAY_VERDICT_H
#define SOTTO_LAB_REPLAY_VERDICT_H

#include "off_policy.h"

#include <sotto/lab/replays.h>

#define SOTTO__SEEDS_TELL 5u /* with fewer, 3 standard errors are too often too short */

sotto_span sotto__span_of(const double *number, uint32_t count);

/* `ahead` is how far the reward lies above that of the majority arm, `chance` how far above that of
 * random arms. */
sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span chance);

/* Intervals that do not overlap make a difference. */
sotto_replay_verdict sotto__verdict_on_log(sotto_estimate method, sotto_estimate logging);

#endif
