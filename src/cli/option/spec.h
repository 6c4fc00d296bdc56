/* The options that describe a spec, for every command that takes them. */
#ifndef SOTTO_CLI_OPTION_SPEC_H
#define SOTTO_CLI_OPTION_SPEC_H

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
#define SPEC_NUMBER(s, option_name, kind, field, lo, hi, text) \
    {option_name, ARGS_##kind, &(s).field, lo, hi, .meaning = text}
#define SPEC_NAME(s, option_name, field, names, text) \
    {option_name, ARGS_NAME, &(s).field, .list = names, .meaning = text}
#define SPEC_OPTIONS(s) \
    SPEC_NUMBER(s, "dim", U32, dim, 1, SOTTO_DIM_MAX, "numbers of a context vector"), \
    SPEC_NUMBER(s, "arms", U32, arms, 2, SOTTO_ARMS_MAX, "what there is to choose from"), \
    SPEC_NUMBER(s, "epsilon", F64, epsilon, 0.01, 50, "of one report; codebook: to 8"), \
    SPEC_NUMBER(s, "delta", F64, delta, 0, 0.5, "of gaussian noise; ledger: total"), \
    SPEC_NUMBER(s, "allow-weak-delta", FLAG, allow_weak_delta, 0, 0, "delta above 1e-6"), \
    SPEC_NAME(s, "parameters", parameters, sotto_parameters_name, "one for all arms or one each"), \
    SPEC_NAME(s, "link", link, sotto_link_name, "mean reward of x.theta"), \
    SPEC_NAME(s, "reward-kind", reward_kind, sotto_reward_kind_name, "sets range, score, link"), \
    SPEC_NUMBER(s, "reward-range", PAIR, reward_range, -1e6, 1e6, \
        "LO,HI: rewards are clamped to it"), \
    SPEC_NAME(s, "method", method, sotto_method_name, "how to learn"), \
    SPEC_NAME(s, "score", score, sotto_score_name, "what a report tells"), \
    SPEC_NUMBER(s, "huber-tau", F64, huber_tau, 1e-6, 1e6, "of score huber"), \
    SPEC_NAME(s, "split", split, sotto_split_name, "ldp-sgd, per-arm"), \
    SPEC_NAME(s, "noise-law", noise_law, sotto_noise_law_name, "of lattice methods"), \
    SPEC_NUMBER(s, "context-norm-max", F64, context_norm_max, 1e-6, 1e6, \
        "longer vectors are scaled down"), \
    SPEC_NUMBER(s, "theta-norm-max", F64, theta_norm_max, 1e-6, 1e6, \
        "bound on the true parameter"), \
    SPEC_NUMBER(s, "epoch-reports-max", U64, epoch_reports_max, 1, SOTTO_REPORTS_MAX, \
        "ends an epoch"), \
    SPEC_NUMBER(s, "window", U64, window, 0, SOTTO_REPORTS_MAX, \
        "reports remembered under drift; 0: all"), \
    SPEC_NUMBER(s, "lag", U32, lag, 0, 16, "epochs that a report may be late")
/* clang-format on */

/* The same names, for args_only. */
#define SPEC_OPTION_NAMES                                                                          \
    "dim", "arms", "epsilon", "delta", "allow-weak-delta", "parameters", "link", "reward-kind",    \
        "reward-range", "method", "score", "huber-tau", "split", "noise-law", "context-norm-max",  \
        "theta-norm-max", "epoch-reports-max", "window", "lag"

/* The defaults of the kind of reward, and what was given. */
sotto_spec spec_of_options(const spec_options *given, const args_option *options);

#endif
