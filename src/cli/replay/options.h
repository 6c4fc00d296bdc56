/* The options of `sotto replay`. */
#ifndef SOTTO_CLI_REPLAY_OPTIONS_H
#define SOTTO_CLI_REPLAY_OPTIONS_H

#include "cli/option/lists.h"

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

option_names replay_format_name;    /* csv, libsvm: as sotto_dataset_format */
option_names replay_header_name;    /* guess, no, yes: as sotto_draft_header */
option_names replay_separator_name; /* guess, then as in SOTTO__SEPARATORS */
option_names replay_decimal_name;   /* guess, point, comma */
option_names replay_order_name;     /* shuffled, file */
enum { REPLAY_SHUFFLED, REPLAY_FILE_ORDER };

/* False, with a sentence on stderr, if options do not go together. No file is opened. */
bool replay_options_fit(const command_line *line);

#endif
