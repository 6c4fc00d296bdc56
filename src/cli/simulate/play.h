/* Plays what was asked for: rows as they come, a resume file, a summary at the end. */
#ifndef SOTTO_CLI_SIMULATE_PLAY_H
#define SOTTO_CLI_SIMULATE_PLAY_H

#include "options.h"

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int simulate_play(const command_line *line, const simulate_options *options,
                  const sotto__comparison *comparison);

#endif
