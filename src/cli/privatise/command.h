/* The command `sotto privatise`. */
#ifndef SOTTO_CLI_PRIVATISE_COMMAND_H
#define SOTTO_CLI_PRIVATISE_COMMAND_H

#include "cli/option/option.h"

int cmd_privatise(const command *self, int argc, char **argv);

#endif
