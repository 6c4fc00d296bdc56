/* What a replay found at its end: one line per method and epsilon, and two yardsticks. */
#ifndef SOTTO_LAB_REPLAY_SUMMARY_H
#define SOTTO_LAB_REPLAY_SUMMARY_H

#include "finding.h"
#include "replay.h"
#include "verdict.h"

/* majority-arm (by a table: fixed-arm) and random-arm; of a log, logging and fixed-arm */
#define SOTTO__REPLAY_YARDSTICKS 2u

/* The replay was played, also by sotto__replay_explorer and sotto__replay_greedy. */
SOTTO_CHECK sotto_status sotto__replay_summary_of(const sotto__replay *replay,
                                                  sotto_replay_summary *out);
void sotto__replay_summary_free(sotto_replay_summary *summary);

#endif
