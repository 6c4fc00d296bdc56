/* What files of this room share. */
#ifndef SOTTO_CLI_PLAN_INNER_H
#define SOTTO_CLI_PLAN_INNER_H

#include "cli/option/option.h"

#include <sotto/lab/plans.h>

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto plan`. */

typedef struct plan_options {
    uint32_t dim, arms;
    epsilon_list epsilons;
    uint64_t horizon, per_day, shuffle;
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind reward_kind;
    sotto_player method;
    double reward_range[2], noise, theta_norm_max, within, target, measure, uplift;
    word_delayed delay;
    bool json, quiet;
} plan_options;

extern const option plan_table[];

/* False, with a sentence, if the options cannot be used. */
bool plan_options_question(const command_line *line, char **argv, const plan_options *options,
                           sotto_plan_question *out);

/* ---- print ---------------------------------------------------------------------------------- */

/* What `sotto plan` prints. */

/* Answers in words and tables. */
void plan_print_text(const sotto_plan_question *question, const sotto_plan_answers *answers);

/* A chart of regret against people on logarithmic axes: one mark per epsilon, and one for the same
 * method without privacy. */
void plan_print_chart(FILE *file, const sotto_plan_answers *answers);

/* Everything as one JSON object. */
void plan_print_json(const sotto_plan_question *question, const sotto_plan_answers *answers);

#endif
