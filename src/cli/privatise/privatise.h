/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_PRIVATISE_ROOM_H
#define SOTTO_CLI_PRIVATISE_ROOM_H

#include "cli/option/option.h"

/* The command `sotto privatise`. */

extern const command command_privatise;

#endif
