/* The command `sotto audit`. */
#ifndef SOTTO_CLI_AUDIT_COMMAND_H
#define SOTTO_CLI_AUDIT_COMMAND_H

#include "cli/option/option.h"

int cmd_audit(const command *self, int argc, char **argv);

#endif
