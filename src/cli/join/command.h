/* The command `sotto join`. */
#ifndef SOTTO_CLI_JOIN_COMMAND_H
#define SOTTO_CLI_JOIN_COMMAND_H

#include "cli/option/table.h"

extern const command command_join;

#endif
