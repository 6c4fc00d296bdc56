/* The command `sotto reproduce`. */
#ifndef SOTTO_CLI_REPRODUCE_COMMAND_H
#define SOTTO_CLI_REPRODUCE_COMMAND_H

#include "cli/option/option.h"

int cmd_reproduce(const command *self, int argc, char **argv);

#endif
