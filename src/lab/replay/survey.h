/* One look at a file before it is played. */
#ifndef SOTTO_LAB_REPLAY_SURVEY_H
#define SOTTO_LAB_REPLAY_SURVEY_H

#include "replay.h"

/* Reads on to the end, or until the block in which `people_max` people are there. The listener
 * hears of bytes, after each block; it may be NULL. NULL, or `fault`; then *out is NULL. */
const char *sotto__survey(const sotto_schema *schema, sotto_dataset *dataset, double clip,
                          uint64_t people_max, const sotto_replay_listener *listener,
                          sotto__yardstick **out, char fault[SOTTO_FAULT_BYTES]);

#endif
