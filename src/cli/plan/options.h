/* The options of `sotto plan`. */
#ifndef SOTTO_CLI_PLAN_OPTIONS_H
#define SOTTO_CLI_PLAN_OPTIONS_H

#include "cli/option/lists.h"
#include "cli/option/words.h"

#include <sotto/lab/plans.h>

typedef struct plan_options {
    uint32_t dim, arms;
    epsilon_list epsilons;
    uint64_t horizon, per_day;
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind reward_kind;
    sotto_player method;
    double reward_range[2], noise, theta_norm_max, within, target, measure, uplift;
    word_delayed delay;
    bool json, quiet;
} plan_options;

extern const option plan_table[];

/* False, with a sentence, if they ask nothing that can be answered. */
bool plan_options_question(const command_line *line, char **argv, const plan_options *options,
                           sotto_plan_question *out);

#endif
