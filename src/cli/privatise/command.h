/* The command `sotto privatise`. */
#ifndef SOTTO_CLI_PRIVATISE_COMMAND_H
#define SOTTO_CLI_PRIVATISE_COMMAND_H

#include "cli/option/option.h"

extern const command command_privatise;

#endif
