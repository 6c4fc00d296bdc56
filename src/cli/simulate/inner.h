/* What files of this room share. */
#ifndef SOTTO_CLI_SIMULATE_INNER_H
#define SOTTO_CLI_SIMULATE_INNER_H

#include "cli/option/option.h"
#include "cli/plugin/plugin.h"
#include "cli/print/print.h"
#include "lab/run/run.h"

#include <sotto/lab/matches.h>

/* ---- constants ------------------------------------------------------------------------------ */

/* The constants of an environment that occur in the theory. */

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int simulate_constants_print(const command_line *line, const sotto_match *match, uint64_t seed,
                             bool json);

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto simulate`. */

typedef struct simulate_options {
    sotto_comparison_request request; /* of `wanted`, only the fields that were given */
    method_list methods;
    plugin *environment; /* the plug-in of a custom one; NULL: ours */
    epsilon_list epsilons;
    point_list points;
    const char *out, *resume;
    option_shard shard;
    bool constants, csv, json, summary, measured, quiet;
} simulate_options;

extern const option simulate_table[];

/* Fills options that were not given from those that were. False, with a sentence on stderr, if an
 * option is missing or options exclude each other. */
bool simulate_options_complete(const command_line *line, simulate_options *s);

/* Frees the plug-ins. */
void simulate_options_free(simulate_options *s);

/* ---- idle ----------------------------------------------------------------------------------- */

/* Says on stderr which of the given options change nothing, and what they are for. */

void simulate_tell_idle(const command_line *line, const simulate_options *s);

/* ---- measured ------------------------------------------------------------------------------- */

/* Prints the estimates from measure rounds beside the truth. */

/* A table shows the first run of each method and epsilon, and a summary of the other runs. CSV and
 * JSON have every run. Prints nothing if no match has measure rounds. */
void simulate_measured_print(FILE *file, print_format format, const sotto__comparison *comparison,
                             const sotto__results *results);

/* ---- parsers -------------------------------------------------------------------------------- */

/* Parsers of options of `sotto simulate` that are lists, or words followed by a number. */

option_names simulate_score_word; /* as parse_score takes them */
option_names simulate_split_word; /* as parse_split takes them */

option_parser simulate_parse_corrections; /* names with commas */
option_parser simulate_parse_delay;       /* WINDOW,SPREAD,RATE */
option_parser simulate_parse_environment; /* a name, or the path of a plug-in */
option_parser simulate_parse_epoch;       /* a number, auto, or growth:G */
option_parser simulate_parse_fallback;    /* none, random, or an arm */
option_parser simulate_parse_measure;     /* a share */
option_parser simulate_parse_methods;     /* names and paths of plug-ins with commas, each once */
option_parser simulate_parse_range;       /* LO,HI */
option_parser simulate_parse_score;       /* sign, self, or huber:TAU */
option_parser simulate_parse_split;       /* joint, per-arm, or paper */
option_parser simulate_parse_window;      /* a number, or none */

/* ---- play ----------------------------------------------------------------------------------- */

/* Plays the sweep: prints rows when they are ready, keeps a resume file, and prints a summary at
 * the end. */

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int simulate_play(const command_line *line, const simulate_options *options,
                  const sotto__comparison *comparison);

/* ---- summary -------------------------------------------------------------------------------- */

/* Prints what a comparison found. */

SOTTO_CHECK sotto_status simulate_summary_print(FILE *file, print_format format,
                                                const sotto__comparison *comparison,
                                                const sotto__results *results);

#endif
