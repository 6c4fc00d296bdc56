/* The command `sotto plan`. */
#ifndef SOTTO_CLI_PLAN_COMMAND_H
#define SOTTO_CLI_PLAN_COMMAND_H

#include "cli/option/option.h"

extern const command command_plan;

#endif
