/* The schema of a replay's file. */
#ifndef SOTTO_CLI_REPLAY_SCHEMA_H
#define SOTTO_CLI_REPLAY_SCHEMA_H

#include "cli/option/option.h"
#include "lab/dataset/dataset.h"

/* From its file, or drafted. False, with the reason on stderr: `out` is empty. */
bool replay_schema(const command_line *line, sotto_schema *out);

#endif
