/* From options to what they ask of a replay. */
#ifndef SOTTO_CLI_REPLAY_REQUEST_H
#define SOTTO_CLI_REPLAY_REQUEST_H

#include "cli/option/option.h"
#include "lab/replay/matches.h"

#define REPLAY_EPSILONS_MAX 64u

/* `asked` borrows the arrays, so that a request stays where it was made. */
typedef struct replay_request {
    sotto__replay_request asked;
    sotto_player player[SOTTO_PLAYERS];
    double epsilon[REPLAY_EPSILONS_MAX];
    uint64_t at[SOTTO_POINTS_MAX];
} replay_request;

/* All but the check-points. False with a sentence on stderr. */
bool replay_request_of(const command_line *line, bool log, replay_request *out);

/* The check-points of so many people. False with a sentence on stderr. */
bool replay_request_points(const command_line *line, uint64_t people, replay_request *request);

#endif
