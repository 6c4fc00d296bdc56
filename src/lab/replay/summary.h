/* What a replay found at its end: one line per method and epsilon, and two yardsticks. */
#ifndef SOTTO_LAB_REPLAY_SUMMARY_H
#define SOTTO_LAB_REPLAY_SUMMARY_H

#include "finding.h"
#include "replay.h"
#include "verdict.h"

/* A method at an epsilon, or a yardstick. NAN: a number that it does not have. */
typedef struct sotto__replay_line {
    const char *name;
    bool yardstick;
    sotto_player player; /* of a method */
    double epsilon;      /* INFINITY: not private */
    uint64_t people;     /* or events that its numbers are of */
    /* Of labels, over seeds: reward of all people, and of the last ones of the first pass. */
    double reward_mean, reward_se, last_mean, last_se;
    sotto__span ahead; /* of the last people: how far above the majority arm; NAN: not judged */
    /* Of a log: events learnt from, their mean reward, and the value by inverse propensity. */
    double learnt;
    sotto__estimate replayed, weighted;
    double self_normalised, effective_size;
    sotto__verdict verdict;
} sotto__replay_line;

typedef struct sotto__replay_summary {
    bool log;
    bool sorted; /* labels of the last people are other ones, so nothing is judged */
    bool judged; /* lines have verdicts that compare */
    sotto__replay_told told;
    uint32_t seeds, passes;
    uint64_t people;      /* whom each run played */
    uint32_t lines_count; /* of the matches, in their order, then the yardsticks */
    sotto__replay_line *line;
    sotto__findings findings; /* of labels that were judged */
    /* The file. */
    uint64_t
        rows; /* that were read; more than `people` where each seed plays its own part of them */
    uint32_t arms;
    uint32_t best_arm; /* in hindsight: the majority arm, or of a log that of the largest value */
    double clip, clipped_share,
        propensity_min; /* of a log: events below the clip, see yardstick.h */
} sotto__replay_summary;

#define SOTTO__REPLAY_YARDSTICKS                                                                   \
    2u /* majority-arm and random-arm; of a log, logging and best-arm */

/* The replay was played. */
SOTTO_CHECK sotto_status sotto__replay_summary_of(const sotto__replay *replay,
                                                  sotto__replay_summary *out);
void sotto__replay_summary_free(sotto__replay_summary *summary);

#endif
