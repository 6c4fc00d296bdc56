/* The command `sotto fleet`. */
#ifndef SOTTO_CLI_FLEET_COMMAND_H
#define SOTTO_CLI_FLEET_COMMAND_H

#include "cli/option/option.h"

extern const command command_fleet;

#endif
