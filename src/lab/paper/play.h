/* Plays all parts of a reproduction. */
#ifndef SOTTO_LAB_PAPER_PLAY_H
#define SOTTO_LAB_PAPER_PLAY_H

#include "reproduction.h"

/* Takes what is kept in OUT/runs, which is there, plays the rest, and keeps every run as soon as it
 * is finished. A shard plays its own runs only, and writes those of each part to a file in OUT/shards.
 * NULL once all are, or `fault`. */
const char *sotto__reproduction_play(sotto__reproduction *reproduction,
                                     const sotto__reproduction_listener *listener,
                                     char fault[SOTTO_FAULT_BYTES]);

/* Roughly the time of a round of a match, in any unit: progress is counted in it. */
double sotto__round_weight(const sotto_match *match);

#endif
