/*
 * What one of several threads adds up for a learner: a tally per open epoch, in memory that serves one
 * learner after another. Sums are exact, so portions that are merged are the reports taken one by one.
 */
#ifndef SOTTO_PORTION_H
#define SOTTO_PORTION_H

#include "learner.h"

typedef struct sotto__portion sotto__portion;

/* NULL: no memory. */
sotto__portion *sotto__portion_new(void);
void sotto__portion_free(sotto__portion *portion);

/* Makes an empty portion one of this learner, until its next publish. Takes memory only if no learner before
 * needed as much; false: there is none, and the portion is as before. */
SOTTO_CHECK bool sotto__portion_fit(sotto__portion *portion, const sotto_learner *learner);
/* Takes frames up to the first that the learner would refuse; how many that were. Nothing of the learner is
 * read: it may take others meanwhile. */
size_t sotto__portion_take(sotto__portion *portion, const uint8_t *frames, size_t count);
/* Adds the portion to its learner, whose tallies have room, and empties it. */
void sotto__portion_merge(sotto__portion *portion, sotto_learner *learner);
void sotto__portion_empty(sotto__portion *portion);

/* Nanoseconds, roughly: of taking a frame in the current phase, and of merging a portion of one epoch. For
 * deciding whether a thread more pays; bench_fold prints the first beside what it is. */
uint64_t sotto__learner_frame_ns(const sotto_learner *learner);
uint64_t sotto__learner_merge_ns(const sotto_learner *learner);

#endif
