/* What files of this room share. */
#ifndef SOTTO_CLI_FLEET_INNER_H
#define SOTTO_CLI_FLEET_INNER_H

#include "cli/option/option.h"
#include "fleet/fleet.h"

#include <signal.h>
#include <stdio.h>

/* ---- chart ---------------------------------------------------------------------------------- */

/* The learning curve as a bar chart. */

/* Prints one bar per step; a full bar means as much regret as with random arms. Prints nothing if
 * nobody came. */
void fleet_chart_print(const sotto__regret_steps *curve);

/* ---- live ----------------------------------------------------------------------------------- */

/* Progress during the run: a table on stderr, and the curve in a file. */

typedef struct fleet_live {
    bool table, terminal;
    FILE *csv;        /* NULL: none */
    sigset_t signals; /* those that stop a run */
    bool came;        /* one of the signals came */
    sotto__sight shown,
        written; /* the sight at the last row of the table, and at the last row of the curve */
    bool head;   /* the head of the table was printed */
} fleet_live;

void fleet_live_begin(fleet_live *live, FILE *csv, bool quiet);
/* The listener to pass to sotto__fleet_play. */
sotto__fleet_listener fleet_live_listener(fleet_live *live);
/* Prints the last row: what happened since the row before. */
void fleet_live_end(fleet_live *live, const sotto__sight *sight);

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto fleet`. */

typedef struct fleet_options {
    sotto_environment wanted; /* only the fields that were given */
    uint64_t people, seed;
    uint32_t at_once, batch, connections, refresh_ms, grind;
    double rate, seconds, drain_s, liars, reward_missing, epsilon_max, measure_max;
    const char *experiment, *admin, *token_file, *ca_file, *csv, *report_key_file;
    bool json, quiet;
} fleet_options;

extern const option fleet_table[];

/* The options of the library. `url` is that of the experiment; it is borrowed. */
sotto__fleet_options fleet_options_of(const command_line *line, const fleet_options *options,
                                      const char *url);

/* ---- server --------------------------------------------------------------------------------- */

/* Finds the experiment and its admin port. */

typedef struct fleet_server {
    sotto__url url; /* of the experiment */
    char id[SOTTO__ID_CHARS + 1];
    sotto__admin *admin; /* NULL: no admin port is available */
    sotto__check_counts before;
} fleet_server;

/* Fills `out` from the command line. EXIT_OK, or another exit status after a sentence on stderr. */
int fleet_server_find(const command_line *line, const fleet_options *options, const char *url,
                      fleet_server *out);
void fleet_server_free(fleet_server *server);

/* ---- summary -------------------------------------------------------------------------------- */

/* The results. */

/* Prints to the standard output: lines for people, or one JSON object. */
void fleet_summary_print(const char *url, const sotto_match *match, const sotto__sight *sight,
                         const sotto__check *check, bool json);

#endif
