/* What is known of a run at its check-points. */
#ifndef SOTTO_LAB_REPLAY_ROWS_H
#define SOTTO_LAB_REPLAY_ROWS_H

#include "replay.h"

/* The row of a point of a run, both counted from 0. */
sotto_replay_row sotto__replay_row_of(const sotto__replay *replay, uint64_t run, uint32_t point);

#endif
