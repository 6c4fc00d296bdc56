/* The command `sotto audit`. */
#ifndef SOTTO_CLI_AUDIT_COMMAND_H
#define SOTTO_CLI_AUDIT_COMMAND_H

#include "cli/option/option.h"

extern const command command_audit;

#endif
