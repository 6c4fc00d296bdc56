/* The command `sotto replay`. */
#ifndef SOTTO_CLI_REPLAY_COMMAND_H
#define SOTTO_CLI_REPLAY_COMMAND_H

#include "cli/option/option.h"

int cmd_replay(const command *self, int argc, char **argv);

#endif
