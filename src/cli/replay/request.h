/* From options to what they ask of a replay. */
#ifndef SOTTO_CLI_REPLAY_REQUEST_H
#define SOTTO_CLI_REPLAY_REQUEST_H

#include "cli/option/option.h"
#include "lab/replay/to_play.h"

/* All but the check-points. False with a sentence on stderr. */
bool replay_request_of(const command_line *line, bool log, sotto_replay_request *out);

/* The check-points of so many people. False with a sentence on stderr. */
bool replay_request_points(const command_line *line, uint64_t people,
                           sotto_replay_request *request);

#endif
