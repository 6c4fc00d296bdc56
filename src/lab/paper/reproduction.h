/*
 * A reproduction of the paper: its experiments as parts, played, and what they found as a page.
 *
 *   experiment, reference_regret   the table of experiments; what the authors' code gave
 *   part, simulate_command         a stage at one horizon: a comparison; the same as a command
 *   numbers                        what a part gave, in numbers
 *   customers                      of the auto-loan study
 *   reproduction                   all parts of what is asked for
 *   folder                         the folder and its manifest: two pages never mix
 *   play                           plays all parts, keeps every finished run
 *   join                           the folders of shards as one
 *   curves, figures, overview      what the experiments gave, as figures; the paper's own one
 *   claim, findings                who has less regret; all of it in three sentences
 *   section                        a section of the page that is being filled, by
 *   glance, regrets, rates, agreement, constants, and papers_best, which two of them ask
 *   sections                       which kind of experiment fills what
 *   page                           all sections as one page
 */
#ifndef SOTTO_LAB_PAPER_REPRODUCTION_H
#define SOTTO_LAB_PAPER_REPRODUCTION_H

#include "customers.h"
#include "lab/page/html.h"
#include "lab/text/pool.h"
#include "part.h"

/* All words are borrowed. */
typedef struct sotto__reproduction_settings {
    sotto__scale scale;
    const sotto__experiment *only; /* one of the table; NULL: all */
    const char *out;               /* the folder */
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

/* Hears how it goes, always on the thread that called. */
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
    bool undrawn;     /* PNG and PDF could not be drawn; why was told */
    sotto__pool pool; /* of everything that goes into the page */
} sotto__reproduction;

/* True if an experiment that is asked for plays the auto-loan study. */
bool sotto__reproduction_needs_customers(const sotto__reproduction_settings *settings);

/* Reads the customers and makes all parts, none of them played. NULL, or `fault`. */
const char *sotto__reproduction_new(const sotto__reproduction_settings *settings,
                                    sotto__reproduction **out, char fault[SOTTO_FAULT_BYTES]);
void sotto__reproduction_free(sotto__reproduction *reproduction); /* accepts NULL */

/* How many parts there are. */
uint32_t sotto__reproduction_parts(const sotto__reproduction_settings *settings);

/* True if the experiment is part of what is asked for. */
bool sotto__reproduction_wants(const sotto__reproduction_settings *settings,
                               const sotto__experiment *experiment);

/* The first part of a stage, and how many horizons follow each other there; NULL: not played. */
const sotto__part *sotto__reproduction_stage(const sotto__reproduction *reproduction,
                                             const sotto__stage *stage, uint32_t *horizons);

/* True for an experiment on customers that are known to be synthetic. */
bool sotto__reproduction_is_synthetic(const sotto__reproduction *reproduction,
                                      const sotto__experiment *experiment);

/* The sentence of one that the listener ended: what is kept, and how to go on. Returns `fault`. */
const char *sotto__reproduction_stopped(const sotto__reproduction *reproduction,
                                        char fault[SOTTO_FAULT_BYTES]);

#endif
