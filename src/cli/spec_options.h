/* The options that describe a spec, for every command that takes them. */
#ifndef SOTTO_SPEC_OPTIONS_H
#define SOTTO_SPEC_OPTIONS_H

#include "args.h"

#include <sotto/core.h>

typedef struct spec_options {
    uint32_t dim, arms, parameters, link, reward_kind, method, score, split, noise_law, lag;
    uint64_t epoch_reports_max, window;
    double epsilon, delta, reward_range[2], context_norm_max, theta_norm_max, huber_tau;
    bool allow_weak_delta;
} spec_options;

/* Rows of an option table, filling the spec_options `s`. */
/* clang-format off */
#define SPEC_OPTIONS(s) \
    {"dim", OPTION_U32, &(s).dim, 1, SOTTO_DIM_MAX, .meaning = "numbers of a context vector"}, \
    {"arms", OPTION_U32, &(s).arms, 2, SOTTO_ARMS_MAX, .meaning = "what there is to choose from"}, \
    {"epsilon", OPTION_F64, &(s).epsilon, 0.01, 50, .meaning = "of one report; codebook: to 8"}, \
    {"delta", OPTION_F64, &(s).delta, 0, 0.5, .meaning = "of gaussian noise"}, \
    {"allow-weak-delta", OPTION_FLAG, &(s).allow_weak_delta, .meaning = "delta above 1e-6"}, \
    {"parameters", OPTION_NAME, &(s).parameters, .list = sotto_parameters_name, .meaning = "one for all arms or one each"}, \
    {"link", OPTION_NAME, &(s).link, .list = sotto_link_name, .meaning = "mean reward of x.theta"}, \
    {"reward-kind", OPTION_NAME, &(s).reward_kind, .list = sotto_reward_kind_name, .meaning = "sets range, score, link"}, \
    {"reward-range", OPTION_PAIR, (s).reward_range, -1e6, 1e6, .meaning = "LO,HI: rewards are clamped to it"}, \
    {"method", OPTION_NAME, &(s).method, .list = sotto_method_name, .meaning = "how to learn"}, \
    {"score", OPTION_NAME, &(s).score, .list = sotto_score_name, .meaning = "what a report tells"}, \
    {"huber-tau", OPTION_F64, &(s).huber_tau, 1e-6, 1e6, .meaning = "of score huber"}, \
    {"split", OPTION_NAME, &(s).split, .list = sotto_split_name, .meaning = "ldp-sgd, per-arm"}, \
    {"noise-law", OPTION_NAME, &(s).noise_law, .list = sotto_noise_law_name, .meaning = "of lattice methods"}, \
    {"context-norm-max", OPTION_F64, &(s).context_norm_max, 1e-6, 1e6, .meaning = "longer vectors are scaled down"}, \
    {"theta-norm-max", OPTION_F64, &(s).theta_norm_max, 1e-6, 1e6, .meaning = "bound on the true parameter"}, \
    {"epoch-reports-max", OPTION_U64, &(s).epoch_reports_max, 1, SOTTO_REPORTS_MAX, .meaning = "ends an epoch"}, \
    {"window", OPTION_U64, &(s).window, 0, SOTTO_REPORTS_MAX, .meaning = "reports remembered under drift; 0: all"}, \
    {"lag", OPTION_U32, &(s).lag, 0, 16, .meaning = "epochs that a report may be late"}
/* clang-format on */

/* The same names, for args_only. */
#define SPEC_OPTION_NAMES                                                                          \
    "dim", "arms", "epsilon", "delta", "allow-weak-delta", "parameters", "link", "reward-kind",    \
        "reward-range", "method", "score", "huber-tau", "split", "noise-law", "context-norm-max",  \
        "theta-norm-max", "epoch-reports-max", "window", "lag"

/* The defaults of the kind of reward, and what was given. */
sotto_spec spec_of_options(const spec_options *given, const option *options);

#endif
