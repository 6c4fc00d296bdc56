/*
 * A data set played by many methods and seeds at once.
 *
 * The file is read in blocks, each played by all runs while the next is read, so memory does not
 * depend on how many rows there are. What a run gives depends on its match, its seed and the file
 * alone: the number of threads changes the time, never the numbers.
 */
#ifndef SOTTO_LAB_REPLAY_REPLAY_H
#define SOTTO_LAB_REPLAY_REPLAY_H

#include "run.h"
#include "yardstick.h"

#include <sotto/lab/replays.h>

typedef struct sotto__replay_settings {
    const sotto_match *match; /* borrowed; see sotto__match_terms_fault */
    uint32_t matches_count;   /* at least 1; all have the same arms and kind of parameters */
    uint32_t seeds_count;     /* 1, 2, ..., this */
    sotto__replay_rules rules;
    uint32_t passes;  /* over the file, at least 1 */
    uint32_t threads; /* that play, 1 to SOTTO_THREADS_MAX; another one reads */
    sotto_replay_told told;
} sotto__replay_settings;

typedef struct sotto__replay {
    sotto__replay_settings settings;
    uint64_t runs_count; /* run r is match r / seeds_count with seed 1 + r % seeds_count */
    sotto__replay_run *run;
    sotto__yardstick *yardstick; /* of the people of all blocks that were read, each once */
    /* For the threads. */
    sotto_people *block[2]; /* one is played, the other filled */
    sotto__replay_room *room;
} sotto__replay;

/* `dim` is that of the data set's contexts. */
SOTTO_CHECK sotto_status sotto__replay_new(const sotto__replay_settings *settings, uint32_t dim,
                                           sotto__replay **out);
void sotto__replay_free(sotto__replay *replay); /* accepts NULL */

/* Plays the data set from where it stands; once. NULL, or `fault`. */
const char *sotto__replay_play(sotto__replay *replay, sotto_dataset *dataset,
                               const sotto_replay_listener *listener,
                               char fault[SOTTO_FAULT_BYTES]);

#endif
