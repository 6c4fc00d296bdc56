/* The command `sotto merge`. */
#ifndef SOTTO_CLI_MERGE_COMMAND_H
#define SOTTO_CLI_MERGE_COMMAND_H

#include "cli/option/option.h"

extern const command command_merge;

#endif
