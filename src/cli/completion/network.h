/* The commands that need libcurl: a build without it has none. */
#ifndef SOTTO_CLI_COMPLETION_NETWORK_H
#define SOTTO_CLI_COMPLETION_NETWORK_H

#include "cli/option/option.h"

/* NULL after the last. */
const command *network_command_at(uint32_t value);

#endif
