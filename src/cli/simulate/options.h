/* The options of `sotto simulate`, and the sweep that they ask for. */
#ifndef SOTTO_CLI_SIMULATE_OPTIONS_H
#define SOTTO_CLI_SIMULATE_OPTIONS_H

#include "cli/option/args.h"
#include "simulate.h"

#include <math.h>

typedef struct simulate_options {
    const char *methods, *epsilons, *checkpoints, *score, *split, *correct, *epoch, *window, *out,
        *resume;
    uint32_t parameters, link, environment, dim, arms, seeds, reward_kind, calibration, step,
        noise_law, lag, grind, threads;
    uint64_t horizon, first_seed, warm_up;
    double delta, noise, reward_range[2], alpha, eta0, theta_norm, margin, drift, shift_scale,
        elimination, liars, context_norm_max, theta_norm_max;
    bool weak_delta, unknown_horizon, exact_noise, revenue, constants, csv, json, summary, quiet;
} simulate_options;

#define SIMULATE_SEEDS_DEFAULT 10u
#define SIMULATE_SEEDS_MAX 1000000u

/* Rows of an option table, filling the simulate_options `s`. */
/* clang-format off */
#define SIMULATE_TEXT(s, option_name, field, text) \
    {option_name, ARGS_TEXT, &(s).field, .meaning = text}
#define SIMULATE_FLAG(s, option_name, field, text) \
    {option_name, ARGS_FLAG, &(s).field, .meaning = text}
#define SIMULATE_NAME(s, option_name, field, names, text) \
    {option_name, ARGS_NAME, &(s).field, .list = names, .meaning = text}
#define SIMULATE_NUMBER(s, option_name, kind, field, lo, hi, text) \
    {option_name, ARGS_##kind, &(s).field, lo, hi, .meaning = text}

#define SIMULATE_WORD(name, text) " " text
#define SIMULATE_CORRECTION(name, text, meaning) "\n      " text ": " meaning
#define SIMULATE_OPTIONS(s) \
    SIMULATE_TEXT(s, "method", methods, \
        "a name, or several with commas, needed;" SOTTO_PLAYER_MAP(SIMULATE_WORD)), \
    SIMULATE_NAME(s, "parameters", parameters, sotto_parameters_name, "default shared"), \
    SIMULATE_NAME(s, "link", link, sotto_link_name, "default identity; loan: logit"), \
    SIMULATE_NAME(s, "environment", environment, sotto_environment_kind_name, \
        "where people come from, default sphere; calibration published: published"), \
    SIMULATE_NUMBER(s, "dim", U32, dim, 1, SOTTO_DIM_MAX, \
        "numbers of a context vector, needed; loan: 18"), \
    SIMULATE_NUMBER(s, "arms", U32, arms, 2, SOTTO_ARMS_MAX, "to choose from, needed; loan: 25"), \
    SIMULATE_NUMBER(s, "horizon", U64, horizon, 1, 1e12, "T, rounds of a run, needed"), \
    SIMULATE_TEXT(s, "epsilon", epsilons, \
        "of each report, or several with commas, default 1; 0.01 to 8, lattice methods: to 50"), \
    SIMULATE_NUMBER(s, "delta", F64, delta, 1e-12, 0.5, \
        "of methods with gaussian noise, default 1e-6"), \
    SIMULATE_FLAG(s, "allow-weak-delta", weak_delta, "consent to delta above 1e-6"), \
    SIMULATE_NUMBER(s, "seeds", U32, seeds, 1, SIMULATE_SEEDS_MAX, \
        "runs of each method and epsilon, default 10"), \
    SIMULATE_NUMBER(s, "first-seed", U64, first_seed, 0, 9007199254740992, "default 1"), \
    SIMULATE_NUMBER(s, "noise", F64, noise, 0, 1e6, "sd of continuous rewards, default 0.1; gaussian: 1; published: 0, per-arm 0.05"), \
    SIMULATE_NAME(s, "reward-kind", reward_kind, sotto_reward_kind_name, "default by the link"), \
    SIMULATE_NUMBER(s, "reward-range", PAIR, reward_range, -1e6, 1e6, \
        "LO,HI: rewards are clamped to it"), \
    SIMULATE_NAME(s, "calibration", calibration, sotto_calibration_name, \
        "what ships (default), or what the paper or its authors' code does"), \
    SIMULATE_TEXT(s, "correct", correct, \
        "departures of the authors' code to undo, with commas, under calibration published:" \
        SOTTO_CORRECTION_MAP(SIMULATE_CORRECTION)), \
    SIMULATE_NUMBER(s, "alpha", F64, alpha, 1e-9, 0.999999999, \
        "chance that a confidence bound fails, default 0.1"), \
    SIMULATE_NUMBER(s, "eta0", F64, eta0, 1e-12, 1e6, \
        "first step of ldp-sgd and sgd, default 5 for 1/t, 0.03 for 1/sqrt"), \
    SIMULATE_NAME(s, "step", step, sotto_step_name, "of ldp-sgd and sgd, default 1/t; calibration published: the scheme"), \
    SIMULATE_TEXT(s, "split", split, "ldp-sgd with per-arm parameters: joint, per-arm, paper"), \
    SIMULATE_NUMBER(s, "warmup", U64, warm_up, 0, 1e12, \
        "rounds of random arms, per-arm parameters, default by the method"), \
    SIMULATE_TEXT(s, "score", score, "what method sotto reports: sign, self, huber:TAU"), \
    SIMULATE_TEXT(s, "epoch", epoch, "reports between models, auto, or growth:G, default 1"), \
    SIMULATE_NUMBER(s, "lag", U32, lag, 0, 16, "epochs that every report is late, default 0"), \
    SIMULATE_NUMBER(s, "liars", F64, liars, 0, 0.5, \
        "part of people whose reports are made to do harm, default 0"), \
    SIMULATE_NUMBER(s, "grind", U32, grind, 1, SOTTO_GRIND_MAX, \
        "nonces that a liar tries for the worst codeword, default 1"), \
    SIMULATE_TEXT(s, "window", window, "reports remembered under drift, or none, the default"), \
    SIMULATE_NAME(s, "noise-law", noise_law, sotto_noise_law_name, \
        "of lattice methods, default gaussian"), \
    SIMULATE_TEXT(s, "checkpoints", checkpoints, \
        "rounds to report, with commas, default 1, 2, 5, 10, ...; the last round always is"), \
    SIMULATE_NUMBER(s, "theta-norm", F64, theta_norm, 1e-6, 1e6, \
        "length of the true parameter, default 1; gaussian: by theory"), \
    SIMULATE_NUMBER(s, "margin", F64, margin, 0, 1, "beta of environment margin, default 1"), \
    SIMULATE_NUMBER(s, "drift", F64, drift, 0, 1, "of environment drift: radians a round, default 1/30000"), \
    SIMULATE_FLAG(s, "revenue", revenue, \
        "of environment loan: decide by price times chance, and count regret in it"), \
    SIMULATE_NUMBER(s, "shift-scale", F64, shift_scale, 0, 1e3, \
        "times the shift of least squares that theory wants, default 1"), \
    SIMULATE_NUMBER(s, "elimination", F64, elimination, 0, INFINITY, \
        "scale of the elimination after warm-up, default 4; inf: none"), \
    SIMULATE_FLAG(s, "unknown-horizon", unknown_horizon, "methods are not told T"), \
    SIMULATE_FLAG(s, "exact-noise", exact_noise, "draw lattice noise as a device does; slower"), \
    SIMULATE_NUMBER(s, "context-norm-max", F64, context_norm_max, 1e-6, 1e6, \
        "longer vectors are scaled down, default by the environment"), \
    SIMULATE_NUMBER(s, "theta-norm-max", F64, theta_norm_max, 1e-6, 1e6, \
        "what methods know of the true parameter's length"), \
    SIMULATE_NUMBER(s, "threads", U32, threads, 1, SOTTO_THREADS_MAX, \
        "default: one a core; changes the time, never the output"), \
    SIMULATE_TEXT(s, "out", out, "FILE for the rows instead of the standard output"), \
    SIMULATE_TEXT(s, "resume", resume, "FILE that keeps finished runs; goes on where it ends"), \
    SIMULATE_FLAG(s, "constants", constants, \
        "no runs: the constants of the environment that theory speaks of"), \
    SIMULATE_FLAG(s, "summary", summary, "print the summary instead of the rows"), \
    SIMULATE_FLAG(s, "csv", csv, "comma-separated rows, the default; with --summary too"), \
    SIMULATE_FLAG(s, "json", json, "JSON lines"), \
    SIMULATE_FLAG(s, "quiet", quiet, "no progress, no warning, no summary on stderr")
/* clang-format on */

/* The sweep. An exit status; unless it is EXIT_OK the reason is on stderr and `out` is empty. */
int simulate_plan_of(const simulate_options *s, const args_option *options, simulate_plan *out);

/* Says on stderr what a calibration other than exact is worth. */
void simulate_plan_warn(const simulate_plan *plan);

#endif
