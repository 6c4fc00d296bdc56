/* The command `sotto reproduce`. */
#ifndef SOTTO_CLI_REPRODUCE_COMMAND_H
#define SOTTO_CLI_REPRODUCE_COMMAND_H

#include "cli/option/option.h"

extern const command command_reproduce;

#endif
