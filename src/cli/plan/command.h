/* The command `sotto plan`. */
#ifndef SOTTO_CLI_PLAN_COMMAND_H
#define SOTTO_CLI_PLAN_COMMAND_H

#include "cli/option/option.h"

int cmd_plan(const command *self, int argc, char **argv);

#endif
