/* The options of `sotto replay`, and what they ask for. */
#ifndef SOTTO_CLI_REPLAY_OPTIONS_H
#define SOTTO_CLI_REPLAY_OPTIONS_H

#include "cli/option/args.h"
#include "lab/replay/replay.h"

typedef struct replay_options {
    const char *data, *schema, *label, *action, *reward, *propensity, *ignored, *methods, *epsilons,
        *checkpoints, *figure, *out;
    uint32_t format, header, separator, parameters, link, order, seeds, passes, threads;
    uint64_t horizon, warm_up;
    double delta, clip;
    bool ranges_from_data, draft, describe, weak_delta, csv, json, summary, quiet;
} replay_options;

const char *replay_format_name(uint32_t value);    /* csv, libsvm: as sotto__dataset_format */
const char *replay_header_name(uint32_t value);    /* guess, no, yes: as sotto__header */
const char *replay_separator_name(uint32_t value); /* guess, then as in SOTTO__SEPARATORS */
const char *replay_order_name(uint32_t value);     /* shuffled, file */
enum { REPLAY_SHUFFLED, REPLAY_FILE_ORDER };

#define REPLAY_SEEDS_MAX 10000u

/* Rows of an option table, filling the replay_options `s`. */
/* clang-format off */
#define REPLAY_TEXT(s, option_name, field, text) \
    {option_name, ARGS_TEXT, &(s).field, .meaning = text}
#define REPLAY_FLAG(s, option_name, field, text) \
    {option_name, ARGS_FLAG, &(s).field, .meaning = text}
#define REPLAY_NAME(s, option_name, field, names, text) \
    {option_name, ARGS_NAME, &(s).field, .list = names, .meaning = text}
#define REPLAY_NUMBER(s, option_name, kind, field, lo, hi, text) \
    {option_name, ARGS_##kind, &(s).field, lo, hi, .meaning = text}

#define REPLAY_WORD(name, text) " " text
#define REPLAY_OPTIONS(s) \
    REPLAY_TEXT(s, "data", data, "FILE of rows, a person each, or - for the standard input, needed"), \
    REPLAY_TEXT(s, "schema", schema, "FILE that says what the columns are and which values they have"), \
    REPLAY_TEXT(s, "label", label, "COLUMN that the arms try to name; without a schema"), \
    REPLAY_TEXT(s, "action", action, "COLUMN with the arm that was given; without a schema, for a log"), \
    REPLAY_TEXT(s, "reward", reward, "COLUMN with its reward"), \
    REPLAY_TEXT(s, "propensity", propensity, "COLUMN with the chance that it had"), \
    REPLAY_TEXT(s, "ignore", ignored, "COLUMN[,COLUMN...] that are no features; without a schema"), \
    REPLAY_NAME(s, "format", format, replay_format_name, "of the file; without a schema, default csv"), \
    REPLAY_NAME(s, "header", header, replay_header_name, \
        "whether the first record of a CSV file names its columns; without a schema, default guess"), \
    REPLAY_NAME(s, "separator", separator, replay_separator_name, \
        "of the fields of a CSV file; without a schema, default guess"), \
    REPLAY_FLAG(s, "ranges-from-data", ranges_from_data, \
        "without a schema: take ranges and levels from people's rows; epsilon does not cover that"), \
    REPLAY_FLAG(s, "draft", draft, "print a schema to begin with, from a look at the file"), \
    REPLAY_FLAG(s, "describe", describe, "read only: rows, columns, what is missing, shares of arms"), \
    REPLAY_TEXT(s, "method", methods, \
        "a name, or several with commas, default sotto; linucb, or glm-ucb, is always played too; of" \
        SOTTO_PLAYER_MAP(REPLAY_WORD)), \
    REPLAY_TEXT(s, "epsilon", epsilons, \
        "of each report, or several with commas, default 1; 0.01 to 8, lattice methods: to 50"), \
    REPLAY_NUMBER(s, "seeds", U32, seeds, 1, REPLAY_SEEDS_MAX, \
        "runs of each method and epsilon, default 10"), \
    REPLAY_NAME(s, "parameters", parameters, sotto_parameters_name, "default per-arm"), \
    REPLAY_NAME(s, "link", link, sotto_link_name, "default identity"), \
    REPLAY_NUMBER(s, "delta", F64, delta, 1e-12, 0.5, \
        "of methods with gaussian noise, default 1e-6"), \
    REPLAY_FLAG(s, "allow-weak-delta", weak_delta, "consent to delta above 1e-6"), \
    REPLAY_NAME(s, "order", order, replay_order_name, \
        "default shuffled: each seed anew, within blocks of at most 65536 rows or 64 MiB; shuffle a longer " \
        "sorted file first"), \
    REPLAY_NUMBER(s, "passes", U32, passes, 1, 1000000, \
        "over a file with labels, default 1; a person met N times spends N times epsilon and delta"), \
    REPLAY_NUMBER(s, "horizon", U64, horizon, 1, 1e12, \
        "play no more people; from a pipe, also tells methods how many will come"), \
    REPLAY_NUMBER(s, "warmup", U64, warm_up, 0, 1e12, \
        "rounds of random arms, per-arm parameters, default by the method"), \
    REPLAY_NUMBER(s, "clip", F64, clip, 1e-6, 1, \
        "of a log: the smallest propensity that is believed, default 0.01"), \
    REPLAY_TEXT(s, "checkpoints", checkpoints, \
        "people to report at, with commas, default 1, 2, 5, 10, ...; the last always is"), \
    REPLAY_NUMBER(s, "threads", U32, threads, 1, SOTTO_THREADS_MAX, \
        "default: one a core; changes the time, never the output"), \
    REPLAY_TEXT(s, "out", out, "FILE for the rows instead of the standard output"), \
    REPLAY_TEXT(s, "figure", figure, "PREFIX.csv, .svg, .png, .pdf: reward against epsilon"), \
    REPLAY_FLAG(s, "summary", summary, "print the summary instead of the rows"), \
    REPLAY_FLAG(s, "csv", csv, "comma-separated rows, the default; with --summary too"), \
    REPLAY_FLAG(s, "json", json, "JSON lines"), \
    REPLAY_FLAG(s, "quiet", quiet, "no progress, no summary on stderr")
/* clang-format on */

/* A replay to be played. `settings` borrows the arrays. */
typedef struct replay_plan {
    sotto__replay_settings settings;
    sotto_match *match;
    double *epsilon; /* of each match; INFINITY: not private */
    uint64_t *at;
    bool told;   /* how many people will come */
    bool looked; /* the file was looked through, and told that */
} replay_plan;

/* What is wrong with the options before any file is opened. */
bool replay_options_fit(const replay_options *s, const args_option *options);

/* The schema: from its file, or drafted. An exit status; unless it is EXIT_OK the reason is on stderr
 * and `out` is empty. */
int replay_schema(const replay_options *s, sotto__schema *out);

/* The replay of a data set. `survey` is what one pass over it found; NULL for a pipe. */
int replay_plan_of(const replay_options *s, const args_option *options, const sotto__schema *schema,
                   const sotto__yardstick *survey, replay_plan *out);
void replay_plan_free(replay_plan *plan);

#endif
