/* The constants of an environment that the theory uses. */
#ifndef SOTTO_CLI_SIMULATE_CONSTANTS_H
#define SOTTO_CLI_SIMULATE_CONSTANTS_H

#include "cli/option/option.h"

#include <sotto/lab/matches.h>

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int simulate_constants_print(const command_line *line, const sotto_match *match, uint64_t seed,
                             bool json);

#endif
