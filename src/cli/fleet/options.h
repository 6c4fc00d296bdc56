/* The options of `sotto fleet`. */
#ifndef SOTTO_CLI_FLEET_OPTIONS_H
#define SOTTO_CLI_FLEET_OPTIONS_H

#include "cli/option/option.h"
#include "fleet/fleet.h"

typedef struct fleet_options {
    sotto_environment wanted; /* of it, what was given */
    uint64_t people, seed;
    uint32_t at_once, batch, connections, refresh_ms, grind;
    double rate, seconds, drain_s, liars, reward_missing, epsilon_max, measure_max;
    const char *experiment, *admin, *token_file, *ca_file, *csv, *report_key_file;
    bool json, quiet;
} fleet_options;

extern const option fleet_table[];

/* What the library is asked for; `url` is that of the experiment, and borrowed. */
sotto__fleet_options fleet_options_of(const command_line *line, const fleet_options *options,
                                      const char *url);

#endif
