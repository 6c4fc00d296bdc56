/*
 * The experiments of the paper, and those that test its theory, as entries of a table.
 *
 * An experiment has stages. A stage is what one `sotto simulate` command plays: methods at
 * epsilons on one environment, under one calibration, at one horizon or at several. Everything else
 * (figures, tables, verdicts) is made from what its runs gave.
 */
#ifndef SOTTO_LAB_PAPER_EXPERIMENT_H
#define SOTTO_LAB_PAPER_EXPERIMENT_H

#include <sotto/lab/matches.h>

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

/* What is made of the runs. */
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

/* The match of a stage. Its faults are sotto_match_fault's; one of the table has none. `customers`,
 * borrowed: the population of the auto-loan study, for the stages that play it. */
SOTTO_CHECK sotto_status sotto__stage_match(const sotto__stage *stage,
                                            const sotto_population *customers, sotto_player player,
                                            double epsilon, uint64_t horizon, sotto_match *out);

/* True if the stage needs the customers. */
bool sotto__stage_is_loan(const sotto__stage *stage);

#endif
