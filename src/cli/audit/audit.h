/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_AUDIT_ROOM_H
#define SOTTO_CLI_AUDIT_ROOM_H

#include "cli/option/option.h"

/* The command `sotto audit`. */

extern const command command_audit;

#endif
