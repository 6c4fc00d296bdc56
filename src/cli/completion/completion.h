/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_COMPLETION_ROOM_H
#define SOTTO_CLI_COMPLETION_ROOM_H

#include "cli/option/option.h"

/* All commands of the binary, in the order of its help. */

/* Command number `value`, from 0; NULL after the last. */
const command *command_at(uint32_t value);
option_names command_name;

/* Those that need libcurl, then NULL; a build without libcurl has none. */
extern const command *const network_commands[];

#endif
