/* The command `sotto replay`. */
#ifndef SOTTO_CLI_REPLAY_COMMAND_H
#define SOTTO_CLI_REPLAY_COMMAND_H

#include "cli/option/option.h"

extern const command command_replay;

#endif
