/* What files of this room share. */
#ifndef SOTTO_CLI_COMPLETION_INNER_H
#define SOTTO_CLI_COMPLETION_INNER_H

#include "completion.h"

/* ---- network -------------------------------------------------------------------------------- */

/* The commands that need libcurl; a build without libcurl has none of them. */

/* Network command number `value`, from 0; NULL after the last. */
const command *network_command_at(uint32_t value);

#endif
