/* What other rooms may use of this one. */
#ifndef SOTTO_PAPER_ROOM_H
#define SOTTO_PAPER_ROOM_H

#include "lab/page/page.h"
#include "lab/run/run.h"
#include "text/text.h"

#include <sotto/core.h>
#include <sotto/lab/environments.h>
#include <sotto/lab/matches.h>

/* ---- customers ------------------------------------------------------------------------------ */

/* The customers of the auto-loan study, as far as a reproduction asks for them. */

typedef struct sotto__customers {
    struct sotto_loan *loan;
    const sotto_population *population; /* NULL: none are there */
    uint64_t rows;
    bool synthetic; /* known to be; nothing in a file can prove that it is not */
} sotto__customers;

/* Opens the customers of a CSV file or, if path is NULL, the stand-in. */
SOTTO_CHECK sotto_status sotto__customers_open(const char *path, sotto__customers *out,
                                               sotto_fault *fault);
void sotto__customers_close(sotto__customers *customers);

/* A notice for the top of a page on where the customers of `path` come from;
 * NULL: there are none. */
const char *sotto__customers_notice(const sotto__customers *customers, const char *path,
                                    sotto__pool *pool);

/* Writes the stand-in of a seed to a file, which must be new, and counts its rows. The fault does
 * not name the file. */
SOTTO_CHECK sotto_status sotto__customers_write(const char *path, uint64_t seed, uint32_t *rows,
                                                sotto_fault *fault);

/* ---- experiment ----------------------------------------------------------------------------- */

/*
 * The experiments of the paper, and those that test its theory, as entries of a table.
 *
 * An experiment has stages. A stage is what one `sotto simulate` command plays: methods at
 * epsilons on one environment, under one calibration, at one horizon or at several. Everything else
 * (figures, tables, verdicts) is made from what its runs gave.
 */

/* How much is played: enough to see the shape in minutes, or the paper's horizons. */
#define SOTTO__SCALE_MAP(X) X(QUICK, "quick") X(FULL, "full")
#define SOTTO__ENUMERATOR_SCALE(name, text) SOTTO__SCALE_##name,
typedef enum sotto__scale { SOTTO__SCALE_MAP(SOTTO__ENUMERATOR_SCALE) SOTTO__SCALES } sotto__scale;
#undef SOTTO__ENUMERATOR_SCALE
const char *sotto__scale_name(sotto__scale scale);

#define SOTTO__STAGE_EPSILONS 8u
#define SOTTO__STAGE_HORIZONS 5u

/* Runs of a stage. */
typedef struct sotto__stage_size {
    uint32_t seeds;                          /* 0: the stage is not played at this scale */
    uint64_t horizon[SOTTO__STAGE_HORIZONS]; /* increasing; 0 ends them */
} sotto__stage_size;

typedef struct sotto__stage {
    const char *name;  /* of its files, with the experiment's before it */
    const char *title; /* of its panel or figure */
    sotto_scene scene; /* all but the horizon */
    sotto_calibration calibration;
    uint32_t players;                      /* a bit for each */
    double epsilon[SOTTO__STAGE_EPSILONS]; /* 0 ends them */
    double delta;                          /* of gaussian noise */
    sotto_step step;  /* calibration published: which of the authors' schemes */
    double margin;    /* beta of environment margin */
    double reward_hi; /* largest reward that a device reports; 0: the default of the kind */
    bool revenue;     /* of environment loan: regret in revenue, not in acceptance */
    sotto__stage_size size[SOTTO__SCALES];
} sotto__stage;

/* How the results of the runs are shown. */
typedef enum sotto__experiment_kind {
    SOTTO__EXPERIMENT_GLANCE,    /* no runs: all curves in one table */
    SOTTO__EXPERIMENT_CURVES,    /* regret against t, one figure per epsilon; the stages are
                                    its panels */
    SOTTO__EXPERIMENT_EPSILONS,  /* regret at the end against epsilon */
    SOTTO__EXPERIMENT_HORIZONS,  /* regret against T, one figure per stage; its exponent */
    SOTTO__EXPERIMENT_BOUND,     /* the same over sqrt(T d)/(e^epsilon - 1) */
    SOTTO__EXPERIMENT_AGREEMENT, /* regret at the end beside that of the authors' own code */
    SOTTO__EXPERIMENT_CONSTANTS, /* no runs: the constants that the theory uses */
} sotto__experiment_kind;

typedef struct sotto__experiment {
    const char *name, *title;
    const char *where;   /* in the paper */
    const char *about;   /* what it shows, in a paragraph */
    const char *differs; /* what is not as in the paper, and why; NULL: nothing */
    sotto__experiment_kind kind;
    const sotto__stage *stage;
    uint32_t stages_count;
} sotto__experiment;

extern const sotto__experiment sotto__experiments[];
extern const uint32_t sotto__experiments_count;
const char *sotto__experiment_name(uint32_t value); /* NULL past the end */

uint32_t sotto__stage_epsilons(const sotto__stage *stage);
uint32_t sotto__stage_horizons(const sotto__stage *stage, sotto__scale scale);

/* The match of a stage. Its faults are those of sotto_match_fault; the stages of the
 * table have none. `customers`, borrowed: the population of the auto-loan study, for
 * the stages that play it. */
SOTTO_CHECK sotto_status sotto__stage_match(const sotto__stage *stage,
                                            const sotto_population *customers, sotto_player player,
                                            double epsilon, uint64_t horizon, sotto_match *out);

/* True if the stage needs the customers. */
bool sotto__stage_is_loan(const sotto__stage *stage);

/* ---- part ----------------------------------------------------------------------------------- */

/* One stage of an experiment at one horizon: a comparison and the results of its runs. */

typedef struct sotto__part {
    const sotto__experiment *experiment;
    const sotto__stage *stage;
    uint64_t horizon;
    sotto__comparison comparison;
    sotto__results results;
    sotto__shard shard; /* whose runs are played */
} sotto__part;

/* How a part is played. */
typedef struct sotto__part_runs {
    const sotto_population *customers; /* borrowed; of the stages that need them */
    uint64_t first_seed;
    uint32_t seeds_count;
    uint32_t threads;
} sotto__part_runs;

/* Makes the matches of the stage, all methods at all epsilons, and room for their results.
 * `experiment`, `stage` and `horizon` must be set. Empty after a fault. */
SOTTO_CHECK sotto_status sotto__part_fill(sotto__part *part, const sotto__part_runs *runs,
                                          sotto_fault *fault);
void sotto__part_free(sotto__part *part);

/* ---- reproduction --------------------------------------------------------------------------- */

/*
 * A reproduction of the paper: its experiments as parts, played, and what they found as a page.
 *
 *   experiment, reference_regret   the table of experiments; what the authors' code gave
 *   part, simulate_command         a stage at one horizon: a comparison; the same as a command
 *   numbers                        what a part gave, in numbers
 *   customers                      of the auto-loan study
 *   reproduction                   all parts of what is asked for
 *   directory                         the directory and its manifest: two pages never mix
 *   play                           plays all parts, keeps every finished run
 *   join                           the directories of shards as one
 *   curves, figures, overview      what the experiments gave, as figures; the paper's own one
 *   regret_difference, findings    who has less regret; all of it in three sentences
 *   section                        a section of the page that is being filled, by
 *   glance, regrets, rates, agreement, constants, and papers_best, which two of them ask
 *   sections                       which kind of experiment fills what
 *   page                           all sections as one page
 */

/* All words are borrowed. */
typedef struct sotto__reproduction_settings {
    sotto__scale scale;
    const sotto__experiment *only; /* one of the table; NULL: all */
    const char *out;               /* the directory */
    const char *data;              /* a file of the auto-loan study; NULL: the stand-in */
    const char *command;           /* that makes this page; it goes into it */
    const char *program;           /* the file whose bytes tell programs apart */
    uint64_t first_seed;
    uint32_t seeds;   /* of every part; 0: as in the table */
    uint64_t horizon; /* of curves against t or epsilon; 0: as in the table */
    uint32_t threads; /* 1 to SOTTO_THREADS_MAX */
    /* Whose runs are played; count 0: all. Runs are dealt out over all parts. */
    sotto__shard shard;
} sotto__reproduction_settings;

/* Callbacks for progress, always on the calling thread. */
typedef struct sotto__reproduction_listener {
    /* While runs are played, about ten times a second: the experiment that is under way, and
     * `done` of `total` work, in any unit; `known` of it was kept by an earlier call. */
    void (*progress)(void *state, const char *what, double known, double done, double total);
    /* Asked as often, and between figures: true ends it. What is finished is kept. */
    bool (*stops)(void *state);
    /* Something is wrong, in a sentence; the reproduction continues. */
    void (*tell)(void *state, const char *sentence);
    /* A section is whole, and its figures are drawn. */
    void (*section)(void *state, const sotto__html_section *section);
    void *state;
} sotto__reproduction_listener;

typedef struct sotto__reproduction {
    sotto__reproduction_settings settings;
    sotto__customers customers; /* if a part needs them */
    uint32_t parts_count;
    sotto__part *part;
    bool foreign;     /* a file of runs turned out to be of another comparison */
    bool undrawn;     /* PNG and PDF could not be drawn; the reason was printed */
    sotto__pool pool; /* of everything that goes into the page */
} sotto__reproduction;

/* True if a requested experiment plays the auto-loan study. */
bool sotto__reproduction_needs_customers(const sotto__reproduction_settings *settings);

/* Reads the customers and makes all parts, none of them played. */
SOTTO_CHECK sotto_status sotto__reproduction_new(const sotto__reproduction_settings *settings,
                                                 sotto__reproduction **out, sotto_fault *fault);
void sotto__reproduction_free(sotto__reproduction *reproduction); /* accepts NULL */

/* How many parts there are. */
uint32_t sotto__reproduction_parts(const sotto__reproduction_settings *settings);

/* True if the settings request the experiment. */
bool sotto__reproduction_wants(const sotto__reproduction_settings *settings,
                               const sotto__experiment *experiment);

/* The first part of a stage, and how many horizons follow each other there; NULL: not played. */
const sotto__part *sotto__reproduction_stage(const sotto__reproduction *reproduction,
                                             const sotto__stage *stage, uint32_t *horizons);

/* True for an experiment on customers that are known to be synthetic. */
bool sotto__reproduction_is_synthetic(const sotto__reproduction *reproduction,
                                      const sotto__experiment *experiment);

/* The fault of a reproduction that the listener ended: what is kept, and how to continue. */
SOTTO_CHECK sotto_status sotto__reproduction_stopped(const sotto__reproduction *reproduction,
                                                     sotto_fault *fault);

/* ---- directory --------------------------------------------------------------------------------- */

/*
 * The directory of a page. Its manifest, `reproduce.txt`, names everything that determines what the
 * directory holds: the program by its bytes, the scale, the seeds, the experiments, the data. A directory
 * with another manifest, or with files and no manifest, stays as it is: two pages never mix.
 *
 * The manifest of a shard has one line more: which shard it is.
 */

#define SOTTO__MANIFEST_BYTES 4096u

typedef struct sotto__directory {
    int manifest; /* descriptor, locked while we write; -1: none */
    bool foreign; /* it was refused: it holds something else */
} sotto__directory;

/* Makes the directory settings->out, or continues in one that the same settings made. The fault does not
 * name the directory. To be closed in any case. */
SOTTO_CHECK sotto_status sotto__directory_open(sotto__directory *directory,
                                               const sotto__reproduction_settings *settings,
                                               sotto_fault *fault);
/* The same with a given manifest, of a shard or not. */
SOTTO_CHECK sotto_status sotto__directory_open_as(sotto__directory *directory, const char *out,
                                                  const char *manifest, sotto_fault *fault);
void sotto__directory_close(sotto__directory *directory);

/* ---- join ----------------------------------------------------------------------------------- */

/* Joins the directories of all shards of a reproduction into that of one machine that has played
 * all runs and drawn nothing yet. */

/* True if the path is a directory. */
bool sotto__join_is_directory(const char *path);

/* Makes the directory `out`, with the manifest and the runs. The fault names the directories or
 * files. *foreign: `out` holds something else, and was not changed. */
SOTTO_CHECK sotto_status sotto__join(const char *const *directory, uint32_t directories_count,
                                     const char *out, bool *foreign, sotto_fault *fault);

/* ---- page ----------------------------------------------------------------------------------- */

/* The findings of a reproduction as one page. */

/* Writes and draws all figures and OUT/index.html, once all parts are played. Without rsvg-convert the
 * page has no drawings, and the listener hears of it. */
SOTTO_CHECK sotto_status sotto__reproduction_page(sotto__reproduction *reproduction,
                                                  const sotto__reproduction_listener *listener,
                                                  sotto_fault *fault);

/* ---- play ----------------------------------------------------------------------------------- */

/* Plays all parts of a reproduction. */

/* Takes the runs kept in OUT/runs, which must exist, plays the rest, and keeps every run as soon
 * as it is finished. A shard plays only its own runs. SOTTO_OK once all are played. */
SOTTO_CHECK sotto_status sotto__reproduction_play(sotto__reproduction *reproduction,
                                                  const sotto__reproduction_listener *listener,
                                                  sotto_fault *fault);

/* Roughly the time of a round of a match, in any unit: progress is counted in it. */
double sotto__round_weight(const sotto_match *match);

#endif
