/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_FLEET_ROOM_H
#define SOTTO_CLI_FLEET_ROOM_H

#include "cli/option/option.h"

/* The command `sotto fleet`. */

extern const command command_fleet;

#endif
