/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_RESULTS_ROOM_H
#define SOTTO_CLI_RESULTS_ROOM_H

#include "cli/option/option.h"

/* The command `sotto results`. */

extern const command command_results;

#endif
