/* One look at a file before it is played. */
#ifndef SOTTO_CLI_REPLAY_SURVEY_H
#define SOTTO_CLI_REPLAY_SURVEY_H

#include "options.h"

/* Reads on to the end, or until the block in which `people_max` people are there. An exit status; unless it is EXIT_OK
 * the reason is on stderr and *out is NULL. */
int replay_survey(const replay_options *s, const sotto__schema *schema, sotto__dataset *dataset,
                  uint64_t people_max, sotto__yardstick **out);

/* Reads all, and prints what there is. An exit status. */
int replay_describe(const replay_options *s, const sotto__schema *schema, sotto__dataset *dataset);

#endif
