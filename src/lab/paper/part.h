/* One stage of an experiment at one horizon: a comparison, and what its runs gave. */
#ifndef SOTTO_LAB_PAPER_PART_H
#define SOTTO_LAB_PAPER_PART_H

#include "experiment.h"
#include "lab/run/results.h"
#include "lab/run/shard.h"

typedef struct sotto__part {
    const sotto__experiment *experiment;
    const sotto__stage *stage;
    uint64_t horizon;
    sotto__comparison comparison;
    sotto__results results;
    sotto__shard shard; /* whose runs are played */
} sotto__part;

/* How a part is played. */
typedef struct sotto__part_runs {
    const sotto_population *customers; /* borrowed; of the stages that need them */
    uint64_t first_seed;
    uint32_t seeds_count;
    uint32_t threads;
} sotto__part_runs;

/* Makes the matches of the stage, all methods at all epsilons, and room for what they give.
 * `experiment`, `stage` and `horizon` are set. NULL, or `fault`: the part is then empty. */
const char *sotto__part_fill(sotto__part *part, const sotto__part_runs *runs,
                             char fault[SOTTO_FAULT_BYTES]);
void sotto__part_free(sotto__part *part);

#endif
