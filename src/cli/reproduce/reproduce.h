/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_REPRODUCE_ROOM_H
#define SOTTO_CLI_REPRODUCE_ROOM_H

#include "cli/option/option.h"

/* The command `sotto reproduce`. */

extern const command command_reproduce;

#endif
