/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_PLAN_ROOM_H
#define SOTTO_CLI_PLAN_ROOM_H

#include "cli/option/option.h"

/* The command `sotto plan`. */

extern const command command_plan;

#endif
