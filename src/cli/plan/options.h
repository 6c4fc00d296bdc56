/* The options of `sotto plan`, and the answers that they ask for. */
#ifndef SOTTO_CLI_PLAN_OPTIONS_H
#define SOTTO_CLI_PLAN_OPTIONS_H

#include "cli/option/args.h"

#include <sotto/lab.h>

#define PLAN_EPSILONS_MAX 8u
#define PLAN_POINTS_MAX 16u

typedef struct plan_options {
    const char *epsilons;
    uint32_t dim, arms, parameters, link, reward_kind, method;
    uint64_t horizon, per_day;
    double reward_range[2], noise, theta_norm_max, within, target;
    bool json, quiet;
} plan_options;

/* Rows of an option table, filling the plan_options `s`. */
/* clang-format off */
#define PLAN_NUMBER(s, option_name, kind, field, lo, hi, text) \
    {option_name, ARGS_##kind, &(s).field, lo, hi, .meaning = text}
#define PLAN_NAME(s, option_name, field, names, text) \
    {option_name, ARGS_NAME, &(s).field, .list = names, .meaning = text}
#define PLAN_OPTIONS(s) \
    PLAN_NUMBER(s, "dim", U32, dim, 1, SOTTO_DIM_MAX, "numbers of a context vector, needed"), \
    PLAN_NUMBER(s, "arms", U32, arms, 2, SOTTO_ARMS_MAX, "to choose from, needed"), \
    {"epsilon", ARGS_TEXT, &(s).epsilons, .meaning = \
        "of each report, or several with commas, default 1; 0.01 to 8"}, \
    PLAN_NUMBER(s, "horizon", U64, horizon, 1, 1e12, "T, people in all, default 100000"), \
    PLAN_NAME(s, "parameters", parameters, sotto_parameters_name, "default shared"), \
    PLAN_NAME(s, "link", link, sotto_link_name, "default identity"), \
    PLAN_NAME(s, "reward-kind", reward_kind, sotto_reward_kind_name, "default by the link"), \
    PLAN_NUMBER(s, "reward-range", PAIR, reward_range, -1e6, 1e6, \
        "LO,HI: rewards are clamped to it"), \
    PLAN_NUMBER(s, "noise", F64, noise, 0, 1e6, "sd of continuous rewards, default 0.1"), \
    PLAN_NUMBER(s, "theta-norm-max", F64, theta_norm_max, 1e-6, 1e6, \
        "length of the true parameter, default 1"), \
    PLAN_NUMBER(s, "target", F64, target, 1e-9, 1e6, \
        "regret a person: how many people bring it down to this, default 5 % of the best reward"), \
    PLAN_NUMBER(s, "within", F64, within, 0.01, 99, \
        "per cent: when is a person's reward so near to that without privacy, default 5"), \
    PLAN_NUMBER(s, "per-day", U64, per_day, 1, 1e12, "people a day: answers also in days"), \
    PLAN_NAME(s, "method", method, sotto_player_name, "only sotto, the default, is predicted; of"), \
    {"json", ARGS_FLAG, &(s).json, .meaning = "one JSON object"}, \
    {"quiet", ARGS_FLAG, &(s).quiet, .meaning = "no warning"}
/* clang-format on */

/* What is predicted for one epsilon. People are 0 where more than 1e12 would be needed. */
typedef struct plan_answer {
    sotto_plan plan;
    uint32_t points_count;
    sotto_plan_point point[PLAN_POINTS_MAX]; /* 10, 100, ... and the horizon */
    double target;                           /* regret a person */
    uint64_t target_people;
    uint64_t within_people;
} plan_answer;

typedef struct plan_answers {
    uint64_t horizon;
    uint64_t per_day; /* 0: not given */
    double within;    /* per cent */
    uint32_t count;
    plan_answer of[PLAN_EPSILONS_MAX];
    /* The same for half of each epsilon; it has no points where that is too small an epsilon. */
    plan_answer half[PLAN_EPSILONS_MAX];
} plan_answers;

static inline const sotto_plan_point *plan_last(const plan_answer *answer)
{
    return &answer->point[answer->points_count - 1];
}

/* Whole days in which so many people come. */
static inline uint64_t plan_days(const plan_answers *answers, uint64_t people)
{
    return (people + answers->per_day - 1) / answers->per_day;
}

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int plan_answer_all(const plan_options *s, const args_option *options, plan_answers *out);

#endif
