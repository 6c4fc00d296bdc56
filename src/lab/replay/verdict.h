/* How a method stands next to what needs no learning. */
#ifndef SOTTO_LAB_REPLAY_VERDICT_H
#define SOTTO_LAB_REPLAY_VERDICT_H

#include "off_policy.h"

typedef enum sotto__verdict {
    SOTTO__VERDICT_NONE, /* of a yardstick */
    /* Of labels, not judged. */
    SOTTO__VERDICT_FEW_PEOPLE, /* fewer came than was said */
    SOTTO__VERDICT_SORTED,
    SOTTO__VERDICT_FEW_SEEDS,
    /* Of labels. */
    SOTTO__VERDICT_ABOVE_MAJORITY,
    SOTTO__VERDICT_CHANCE,
    SOTTO__VERDICT_BELOW_MAJORITY,
    SOTTO__VERDICT_LIKE_MAJORITY, /* so many seeds cannot tell them apart */
    /* Of a log. */
    SOTTO__VERDICT_ABOVE_LOGGING,
    SOTTO__VERDICT_BELOW_LOGGING,
    SOTTO__VERDICT_LIKE_LOGGING,
} sotto__verdict;

#define SOTTO__VERDICT_BYTES 80u

/* The sentence; "" for none. Returns `text`. */
const char *sotto__verdict_text(sotto__verdict verdict, uint32_t seeds,
                                char text[SOTTO__VERDICT_BYTES]);

#define SOTTO__SEEDS_TELL 5u /* with fewer, 3 standard errors are too often too short */

/* The mean of one number per seed, and 3 standard errors to both sides. */
typedef struct sotto__span {
    double lo, hi;
} sotto__span;

sotto__span sotto__span_of(const double *number, uint32_t count);

/* `ahead` is how far the reward lies above that of the majority arm, `chance` how far above that of
 * random arms. */
sotto__verdict sotto__verdict_on_labels(sotto__span ahead, sotto__span chance);

/* Intervals that do not overlap make a difference. */
sotto__verdict sotto__verdict_on_log(sotto__estimate method, sotto__estimate logging);

#endif
