/* The options of `sotto simulate`. */
#ifndef SOTTO_CLI_SIMULATE_OPTIONS_H
#define SOTTO_CLI_SIMULATE_OPTIONS_H

#include "cli/option/lists.h"
#include "lab/run/request.h"

typedef struct simulate_options {
    sotto_comparison_request request; /* of `wanted`, what was given */
    player_list players;
    epsilon_list epsilons;
    point_list points;
    const char *out, *resume;
    bool constants, csv, json, summary, quiet;
} simulate_options;

extern const option simulate_table[];

/* What was not given follows from what was. False, with a sentence on stderr, if something is missing
 * or does not go together. */
bool simulate_options_complete(const command_line *line, simulate_options *s);

#endif
