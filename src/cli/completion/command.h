/* The command `sotto completion`. */
#ifndef SOTTO_CLI_COMPLETION_COMMAND_H
#define SOTTO_CLI_COMPLETION_COMMAND_H

#include "cli/option/option.h"

extern const command command_completion;

#endif
