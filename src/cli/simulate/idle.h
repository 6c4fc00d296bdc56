/* Says on stderr which of the given options change nothing, and for what they are. */
#ifndef SOTTO_CLI_SIMULATE_IDLE_H
#define SOTTO_CLI_SIMULATE_IDLE_H

#include "choices.h"

/* Options that only some methods have. */
void simulate_tell_idle(const command_line *line, const simulate_options *s,
                        const simulate_choices *c);
/* Options that only some scenes have. */
void simulate_tell_idle_world(const command_line *line, const sotto_scene *scene);

#endif
