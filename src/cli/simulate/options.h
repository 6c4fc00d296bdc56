/* The options of `sotto simulate`. */
#ifndef SOTTO_CLI_SIMULATE_OPTIONS_H
#define SOTTO_CLI_SIMULATE_OPTIONS_H

#include "cli/option/option.h"

#include <sotto/lab.h>

typedef struct simulate_options {
    sotto_scene scene;
    sotto_calibration calibration;
    const char *methods, *epsilons, *checkpoints, *score, *split, *corrections, *epoch, *window,
        *out, *resume;
    double delta, reward_range[2];
    uint64_t first_seed;
    uint32_t seeds, threads;
    sotto_match match; /* only what was given: it goes into every match that has a use for it */
    bool weak_delta, unknown_horizon, revenue, constants, csv, json, summary, quiet;
} simulate_options;

extern const option simulate_table[];

#endif
