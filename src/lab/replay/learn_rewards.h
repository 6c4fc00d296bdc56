/* Two looks at a log before it is played, for the model of its rewards. */
#ifndef SOTTO_LAB_REPLAY_LEARN_REWARDS_H
#define SOTTO_LAB_REPLAY_LEARN_REWARDS_H

#include "reward_model.h"

#include <sotto/lab/replays.h>

typedef struct sotto__rewards {
    sotto__reward_model *model; /* NULL: there is none, */
    sotto_replay_untold untold; /* for this reason */
} sotto__rewards;

/* Reads a file from where it stands, its first row, twice: to the end, or until the block in which
 * `people_max` people are there; and rewinds it. The listener hears of bytes, of both looks; it may be
 * NULL. A file that is no log has no model. NULL, or `fault`. */
const char *sotto__learn_rewards(const sotto_schema *schema, sotto_dataset *dataset,
                                 uint64_t people_max, const sotto_replay_listener *listener,
                                 sotto__rewards *out, char fault[SOTTO_FAULT_BYTES]);
void sotto__rewards_free(sotto__rewards *rewards);

#endif
