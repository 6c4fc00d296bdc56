/* What a method would have earned on a log, by five estimators, each with two intervals. */
#ifndef SOTTO_LAB_REPLAY_ESTIMATES_H
#define SOTTO_LAB_REPLAY_ESTIMATES_H

#include "evidence.h"
#include "replay.h"

/* From the evidence of one run, or of several joined. `model` is NULL for the reason `model_untold`. */
SOTTO_CHECK sotto_status sotto__estimates_of(const sotto__evidence *evidence,
                                             const sotto__reward_model *model,
                                             sotto_replay_untold model_untold,
                                             sotto_replay_estimates *out);

/* Those of a match of a log that was played, over all seeds. The intervals of replay and ips are those of
 * its line in the summary. */
SOTTO_CHECK sotto_status sotto__replay_estimates_of(const sotto__replay *replay, uint32_t match,
                                                    const sotto_replay_line *line,
                                                    sotto_replay_estimates *out);

#endif
