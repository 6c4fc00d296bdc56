/* What a replay writes must not be what it reads. */
#ifndef SOTTO_CLI_REPLAY_TARGETS_H
#define SOTTO_CLI_REPLAY_TARGETS_H

#include "cli/option/option.h"

/* False, with a sentence on stderr, if --out or a file of --figure is the file of --data or of
 * --schema. */
bool replay_targets_fit(const command_line *line);

#endif
