/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_COMPARE_ROOM_H
#define SOTTO_CLI_COMPARE_ROOM_H

#include "cli/option/option.h"

/* The command `sotto compare`. */

extern const command command_compare;

#endif
