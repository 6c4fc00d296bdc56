/* The command `sotto simulate`. */
#ifndef SOTTO_CLI_SIMULATE_COMMAND_H
#define SOTTO_CLI_SIMULATE_COMMAND_H

#include "cli/option/option.h"

extern const command command_simulate;

#endif
