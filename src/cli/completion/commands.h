/* All commands of the binary, in the order of its help. */
#ifndef SOTTO_CLI_COMPLETION_COMMANDS_H
#define SOTTO_CLI_COMPLETION_COMMANDS_H

#include "cli/option/option.h"

/* The command of 0, 1, ...; NULL after the last. */
const command *command_at(uint32_t value);
option_names command_name;

#endif
