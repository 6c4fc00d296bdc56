/* What files of this room share. */
#ifndef SOTTO_CLI_REPLAY_INNER_H
#define SOTTO_CLI_REPLAY_INNER_H

#include "cli/option/option.h"
#include "cli/print/print.h"
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"

#include <stdio.h>

/* ---- export --------------------------------------------------------------------------------- */

/* A data set as text for Vowpal Wabbit. */

/* Writes the files of --export-vw. Returns the exit status. */
int replay_export(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset);

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto replay`. */

typedef struct replay_options {
    const char *data, *schema, *export_vw;
    /* The columns of a file without a schema. */
    const char *label, *action, *reward, *propensity, *ignored;
    uint32_t format, header, separator, decimal;
    bool ranges_from_data, draft;
    /* The methods. */
    player_list players;
    epsilon_list epsilons;
    uint32_t parameters, link;
    double delta;
    bool weak_delta;
    uint64_t warm_up;
    /* The replay. */
    uint32_t seeds, order, passes, threads;
    uint64_t horizon;
    double clip;
    point_list points;
    /* The output. */
    bool describe, summary, csv, json, quiet;
    const char *out, *figure;
} replay_options;

/* The table of the command: one row per option. */
extern const option replay_table[];

enum { REPLAY_SHUFFLED, REPLAY_FILE_ORDER };

/* False, with a sentence on stderr, if options exclude each other. Opens no file. */
bool replay_options_fit(const command_line *line);

/* ---- print ---------------------------------------------------------------------------------- */

/* The output of a replay. */

/* A finished replay and its file. */
typedef struct replay_outcome {
    const char *data;
    const sotto_schema *schema;
    const sotto__replay *replay;
    const sotto_dataset_counts *counted;
} replay_outcome;

/* Prints one row per checkpoint of each run. The format must not be PRINT_TABLE. */
void replay_print_rows(FILE *file, print_format format, const replay_outcome *outcome);

/* Prints one line per method and epsilon; a table also has text above and below. `estimates`: one
 * per method and epsilon, for a log. */
void replay_print_summary(FILE *file, print_format format, const replay_outcome *outcome,
                          const sotto_replay_summary *summary,
                          const sotto_replay_estimates *estimates);
/* The tone of the recommendation: good if a method is worth its epsilon, bad if none is. */
verdict_tone replay_tone(const sotto_replay_summary *summary);
/* Prints the recommendation and the result at each epsilon. */
void replay_print_sentences(FILE *file, const sotto_replay_summary *summary);
void replay_print_title(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary);
void replay_print_words(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary);

/* Prints the estimates of a log as a table with text below. */
void replay_print_estimates(FILE *file, const sotto_replay_summary *summary,
                            const sotto_replay_estimates *estimates);
/* For programs: fills the columns of a line, with NAN if `estimates` is NULL, as for a yardstick.
 * Returns the end of the values. `unavailable` must stay valid until they are printed. */
#define REPLAY_ESTIMATE_COLUMNS 20u
#define REPLAY_UNAVAILABLE_BYTES 512u
extern const print_column replay_estimate_columns[REPLAY_ESTIMATE_COLUMNS];
print_value *replay_set_estimates(const sotto_replay_estimates *estimates,
                                  char unavailable[REPLAY_UNAVAILABLE_BYTES], print_value *value);

/* Prints the description of a file and how long reading it took. */
void replay_print_description(const sotto_schema *schema, const sotto__description *description,
                              double elapsed_s, bool json);

/* ---- request -------------------------------------------------------------------------------- */

/* From options to the request of a replay. */

/* Fills everything except the checkpoints. False, with a sentence on stderr, on failure. */
bool replay_request_of(const command_line *line, bool log, sotto_replay_request *out);

/* Sets the checkpoints for this number of people. False, with a sentence on stderr, on failure. */
bool replay_request_points(const command_line *line, uint64_t people,
                           sotto_replay_request *request);

/* ---- schema --------------------------------------------------------------------------------- */

/* The schema of a replay's file. */

/* Reads the schema from its file, or drafts one. On failure: false, the reason on stderr, and `out`
 * is empty. */
bool replay_schema(const command_line *line, sotto_schema *out);

/* ---- targets -------------------------------------------------------------------------------- */

/* A replay must not overwrite the files that it reads. */

/* False, with a sentence on stderr, if --out or a file of --figure is the file of --data or
 * --schema. */
bool replay_targets_fit(const command_line *line);

#endif
