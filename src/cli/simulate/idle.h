/* Says on stderr which of the given options change nothing, and for what they are. */
#ifndef SOTTO_CLI_SIMULATE_IDLE_H
#define SOTTO_CLI_SIMULATE_IDLE_H

#include "options.h"

void simulate_tell_idle(const command_line *line, const simulate_options *s);

#endif
