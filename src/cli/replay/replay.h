/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_REPLAY_ROOM_H
#define SOTTO_CLI_REPLAY_ROOM_H

#include "cli/option/option.h"

/* The command `sotto replay`. */

extern const command command_replay;

#endif
