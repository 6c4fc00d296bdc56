/* The options of `sotto simulate`. */
#ifndef SOTTO_CLI_SIMULATE_OPTIONS_H
#define SOTTO_CLI_SIMULATE_OPTIONS_H

#include "cli/option/lists.h"
#include "cli/option/shard.h"
#include "cli/plugin/load.h"
#include "lab/run/request.h"

#define METHODS_MAX (SOTTO_PLAYERS + 16u)

/* The methods that are compared, ours and brought ones, in the order in which they were given. */
typedef struct method_list {
    uint32_t count;
    sotto_player player[METHODS_MAX]; /* of a brought one it does not count */
    const sotto_player_table *brought[METHODS_MAX];
    plugin *file[METHODS_MAX]; /* that it came in; NULL: ours */
} method_list;

typedef struct simulate_options {
    sotto_comparison_request request; /* of `wanted`, what was given */
    method_list methods;
    plugin *environment; /* the file of a brought one; NULL: ours */
    epsilon_list epsilons;
    point_list points;
    const char *out, *resume;
    option_shard shard;
    bool constants, csv, json, summary, measured, quiet;
} simulate_options;

extern const option simulate_table[];

/* What was not given follows from what was. False, with a sentence on stderr, if something is missing
 * or does not go together. */
bool simulate_options_complete(const command_line *line, simulate_options *s);

/* Frees the files that were brought. */
void simulate_options_free(simulate_options *s);

#endif
