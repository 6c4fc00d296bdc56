/*
 * What the parts of `sotto reproduce` share.
 *
 *   cmd_reproduce      options, and the straight line: folder, parts, play, write
 *   reproduce_folder   the folder and its manifest: two reports never mix
 *   reproduce_parts    the table of experiments as parts, each one sweep
 *   reproduce_loan     the customers of the auto-loan study
 *   reproduce_play     plays all parts, keeps every finished run
 *   reproduce_numbers  what a part gave, in numbers
 *   reproduce_figures  what the experiments gave, as figures
 *   reproduce_section  what they gave, as sections of the report; filled by
 *                      reproduce_glance, _regrets, _rates, _agreement, _constants
 *   reproduce_report   the report, and the lines that are printed
 */
#ifndef SOTTO_CLI_REPRODUCE_REPRODUCE_H
#define SOTTO_CLI_REPRODUCE_REPRODUCE_H

#include "lab/page/html.h"
#include "lab/paper/experiment.h"
#include "lab/run/results.h"
#include "lab/text/pool.h"

#include <signal.h>

#define REPRODUCE "sotto reproduce"

/* One stage at one horizon: a sweep. */
typedef struct reproduce_part {
    const sotto__experiment *experiment;
    const sotto__stage *stage;
    uint64_t horizon;
    sotto__comparison comparison;
    sotto__results results;
} reproduce_part;

typedef struct reproduction {
    sotto__scale scale;
    const char *only;                  /* the name of one experiment; NULL: all */
    const char *out;                   /* the folder */
    const char *data;                  /* a file of the auto-loan study; NULL: the stand-in */
    struct sotto__loan *loan;          /* the study, if a part needs it */
    const sotto_population *customers; /* of it */
    const char *command;               /* that makes this report */
    uint64_t first_seed;
    uint32_t seeds;   /* of every part; 0: as in the table */
    uint64_t horizon; /* of curves against t or epsilon; 0: as in the table */
    uint32_t threads;
    bool quiet;
    int manifest; /* descriptor, locked while we write; -1: none */
    uint32_t parts_count;
    reproduce_part *part;
    bool undrawn;     /* figures could not be drawn; why was said */
    sigset_t signals; /* that stop it, held since it began to play */
    sotto__pool pool; /* of everything that goes into the report */
} reproduction;

/* True if the experiment is part of this reproduction. */
bool reproduce_wants(const reproduction *r, const sotto__experiment *experiment);

/* The next steps return an exit status; unless it is EXIT_OK the reason is on stderr. */
int reproduce_folder_open(reproduction *r);
void reproduce_folder_close(reproduction *r);
int reproduce_loan_open(reproduction *r);
void reproduce_loan_close(reproduction *r);
int reproduce_parts_new(reproduction *r);
void reproduce_parts_free(reproduction *r);
int reproduce_play(reproduction *r);
int reproduce_report(reproduction *r);

/* The first part of a stage, and how many horizons follow each other there; NULL: not played. */
const reproduce_part *reproduce_parts_of(const reproduction *r, const sotto__stage *stage,
                                         uint32_t *horizons);

/* The `sotto simulate` command that plays the same runs. */
const char *reproduce_simulate_command(reproduction *r, const reproduce_part *part);

/* Writes the stand-in to a new file. An exit status. */
int reproduce_standin_write(const char *path, uint64_t seed);
/* True for an experiment on customers that are known to be synthetic. */
bool reproduce_is_synthetic(const reproduction *r, const sotto__experiment *experiment);
/* Where the customers come from, for the top of the report; NULL: there are none. */
const char *reproduce_loan_notice(reproduction *r);

/* ---- what a part gave --------------------------------------------------------------------- */

/* The match of a method at an epsilon; UINT32_MAX if the part has none. */
uint32_t reproduce_match_of(const reproduce_part *part, sotto_player player, double epsilon);
/* Regret of every seed at a check-point; as many numbers as the sweep has seeds. */
void reproduce_regrets(const reproduce_part *part, uint32_t match, uint32_t point, double *out);
uint32_t reproduce_last_point(const reproduce_part *part);
typedef struct reproduce_spread {
    double mean, deviation, error, median; /* error: standard error of the mean */
} reproduce_spread;
reproduce_spread reproduce_spread_of(const reproduce_part *part, uint32_t match, uint32_t point);

/* sqrt(T d)/(e^epsilon - 1): what the lower bound on regret is a multiple of. */
double reproduce_bound_of(const reproduce_part *part, double epsilon);

/* The line through log regret against log T, or log epsilon, and its standard error: seeds left
 * out one by one (jackknife). `match` of each part; at most SOTTO__STAGE_EPSILONS of them. */
typedef struct reproduce_slope {
    double slope, error;
} reproduce_slope;
reproduce_slope reproduce_slope_of(const reproduce_part *const *part, const uint32_t *match,
                                   const double *log_x, uint32_t count);

/* ---- the report --------------------------------------------------------------------------- */

/* Names of the figures of an experiment, drawn and written, and what they show. */
typedef struct reproduce_drawn {
    uint32_t count;
    const char **name, **alt;
} reproduce_drawn;
int reproduce_figures(reproduction *r, const sotto__experiment *experiment, reproduce_drawn *drawn);

/* The section that comes first, if all are played. */
extern const sotto__experiment reproduce_glance;

/* Says that a signal stopped it, and how to go on. EXIT_FAILED. */
int reproduce_stopped(const reproduction *r);

/* Fills the section but for its figures. False if there is no memory. */
bool reproduce_section(reproduction *r, const sotto__experiment *experiment,
                       sotto__html_section *section);

#endif
