/* The command `sotto inspect`. */
#ifndef SOTTO_CLI_INSPECT_COMMAND_H
#define SOTTO_CLI_INSPECT_COMMAND_H

#include "cli/option/option.h"

int cmd_inspect(const command *self, int argc, char **argv);

#endif
