/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_JOIN_ROOM_H
#define SOTTO_CLI_JOIN_ROOM_H

#include "cli/option/option.h"

/* The command `sotto join`. */

extern const command command_join;

#endif
