/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_SIMULATE_ROOM_H
#define SOTTO_CLI_SIMULATE_ROOM_H

#include "cli/option/option.h"

/* The command `sotto simulate`. */

extern const command command_simulate;

#endif
