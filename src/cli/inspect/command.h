/* The command `sotto inspect`. */
#ifndef SOTTO_CLI_INSPECT_COMMAND_H
#define SOTTO_CLI_INSPECT_COMMAND_H

#include "cli/option/option.h"

extern const command command_inspect;

#endif
