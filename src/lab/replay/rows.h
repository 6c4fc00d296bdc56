/* What is known of a run at its check-points. */
#ifndef SOTTO_LAB_REPLAY_ROWS_H
#define SOTTO_LAB_REPLAY_ROWS_H

#include "replay.h"

typedef struct sotto__replay_row {
    const char *method;
    double epsilon; /* INFINITY: not private */
    uint64_t seed;
    uint64_t t; /* people or events so far */
    /* Of labels: what all of them earned, and what is missing to naming everybody's label. */
    double reward, regret;
    /* Of a log: events learnt from, their mean reward, and the value by inverse propensity. */
    uint64_t learnt;
    sotto__estimate replayed, weighted;
    double self_normalised, effective_size;
} sotto__replay_row;

/* The row of a point of a run, both counted from 0. */
sotto__replay_row sotto__replay_row_of(const sotto__replay *replay, uint64_t run, uint32_t point);

#endif
