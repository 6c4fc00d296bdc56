/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_INSPECT_ROOM_H
#define SOTTO_CLI_INSPECT_ROOM_H

#include "cli/option/option.h"

/* The command `sotto inspect`. */

extern const command command_inspect;

#endif
