/* What files of this room share. */
#ifndef SOTTO_CLI_FLEET_INNER_H
#define SOTTO_CLI_FLEET_INNER_H

#include "cli/option/option.h"
#include "fleet.h"
#include "fleet/fleet.h"

#include <signal.h>
#include <stdio.h>

/* ---- chart ---------------------------------------------------------------------------------- */

/* The learning curve, for people who look before they read. */

/* One line per step: a bar, which is full where people lose as much as with random arms. Nothing if nobody came. */
void fleet_chart_print(const sotto__regret_steps *curve);

/* ---- live ----------------------------------------------------------------------------------- */

/* What happens, while it happens: a table on stderr, and the curve in a file. */

typedef struct fleet_live {
    bool table, terminal;
    FILE *csv;        /* NULL: none */
    sigset_t signals; /* that stop a run */
    bool came;        /* one of them */
    sotto__sight shown,
        written; /* as it was when a row of the table, and one of the curve, was last made */
    bool head;   /* of the table, was printed */
} fleet_live;

void fleet_live_begin(fleet_live *live, FILE *csv, bool quiet);
/* For sotto__fleet_play. */
sotto__fleet_listener fleet_live_listener(fleet_live *live);
/* The last row, of what came since the one before. */
void fleet_live_end(fleet_live *live, const sotto__sight *sight);

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto fleet`. */

typedef struct fleet_options {
    sotto_environment wanted; /* of it, what was given */
    uint64_t people, seed;
    uint32_t at_once, batch, connections, refresh_ms, grind;
    double rate, seconds, drain_s, liars, reward_missing, epsilon_max, measure_max;
    const char *experiment, *admin, *token_file, *ca_file, *csv, *report_key_file;
    bool json, quiet;
} fleet_options;

extern const option fleet_table[];

/* What the library is asked for; `url` is that of the experiment, and borrowed. */
sotto__fleet_options fleet_options_of(const command_line *line, const fleet_options *options,
                                      const char *url);

/* ---- server --------------------------------------------------------------------------------- */

/* Which experiment is meant, and its admin port. */

typedef struct fleet_server {
    sotto__url url; /* of the experiment */
    char id[SOTTO__ID_CHARS + 1];
    sotto__admin *admin; /* NULL: there is none that can be asked */
    sotto__check_counts before;
} fleet_server;

/* From the command line. EXIT_OK, or another status after a sentence on stderr. */
int fleet_server_find(const command_line *line, const fleet_options *options, const char *url,
                      fleet_server *out);
void fleet_server_free(fleet_server *server);

/* ---- summary -------------------------------------------------------------------------------- */

/* The results. */

/* On the standard output: lines for people, or one JSON object. */
void fleet_summary_print(const char *url, const sotto_match *match, const sotto__sight *sight,
                         const sotto__check *check, bool json);

#endif
