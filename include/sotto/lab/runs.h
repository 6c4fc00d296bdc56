/*
 * The lab: matches played, one or many.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_RUNS_H
#define SOTTO_LAB_RUNS_H

#include <sotto/lab/matches.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A run is (spec, method, environment, seed, horizon) and nothing else: it gives the same numbers
 * on any thread, in any order, next to any other runs. */

typedef struct sotto_point {
    uint64_t t; /* rounds played */
    /* The sum of max_a mu_a - mu_(a_t) by the true parameters; with worths, of worth_a mu_a. */
    double regret;
    double estimation_error; /* ||estimate that decides - theta*||; per-arm: sum over arms */
} sotto_point;

#define SOTTO_POINTS_MAX 4096u /* checkpoints of a run */

#define SOTTO_RUN_MEASURE_ALPHA 0.05 /* chance that intervals of measure rounds fail */
#define SOTTO_RUN_ARMS_MAX 32u       /* arms that measure rounds are listed for */

/* One arm for everybody. */
typedef struct sotto_run_arm {
    sotto_arm_measurement seen; /* by the server */
    double mean, uplift;        /* the truth, as below */
} sotto_run_arm;

/* The results of measure rounds at the end of a run, and the truth. The truth is the mean clipped reward
 * of the people who sent these reports, which the server never sees. NAN: no report. */
typedef struct sotto_run_measurement {
    bool there;             /* false: the match has no measure rounds */
    sotto_measurement seen; /* by the server, as of its last model */
    double follow, control, uplift, recent_uplift;
    sotto_harm harm;             /* as of the last model */
    uint64_t harm_at, served_at; /* people until the alarm, until the fallback; 0: none */
    uint32_t arms_count;         /* at most SOTTO_RUN_ARMS_MAX */
    sotto_run_arm arm[SOTTO_RUN_ARMS_MAX];
} sotto_run_measurement;

/* Counts of the reports of a match with a clock. People = arrived + late + under_way + unsent. */
typedef struct sotto_run_delay {
    bool there;         /* false: the match has no clock */
    uint64_t arrived;   /* in time */
    uint64_t late;      /* refused: more than epoch_lag_max epochs late */
    uint64_t under_way; /* not arrived at the end of the run */
    uint64_t unsent;    /* learn rounds under a fallback, which send no report */
    uint64_t epochs;    /* ended epochs; 0 for methods without any */
    /* For methods with epochs: arrived reports to learn from, and the sum of epochs by which they were
     * late. epochs_late/learnt is their mean age, N/n - 1. */
    uint64_t learnt, epochs_late;
} sotto_run_delay;

typedef struct sotto_run_result {
    double seconds;         /* of processor time */
    uint64_t learn_reports; /* of terms with nulls: reports to learn from; otherwise 0 */
    uint64_t null_reports;  /* those of them that are null */
    uint64_t repairs;       /* see sotto_learner_repairs */
    sotto_fault fault;      /* after SOTTO_E_PLUGIN: which custom code failed, and how */
    sotto_run_measurement measured;
    sotto_run_delay delay;
} sotto_run_result;

/* Follows a run. */
typedef struct sotto_run_watch {
    /* Called at least every 1024 rounds, with the rounds played since the last call. False ends the
     * run. */
    bool (*go_on)(void *state, uint64_t rounds);
    void *state;
} sotto_run_watch;

/* Plays a match. Set t in all points_count entries of `point`, increasing, the last one to the horizon;
 * this fills the rest. `watch` may be NULL. *finished is false if the watch ended the run. */
SOTTO_API SOTTO_CHECK sotto_status sotto_match_play(const sotto_match *match, uint64_t seed,
                                                    sotto_point *point, uint32_t points_count,
                                                    const sotto_run_watch *watch,
                                                    sotto_run_result *result, bool *finished);

/* Many runs: matches x seeds, played by a fixed number of threads. */
typedef struct sotto_sweep {
    const sotto_match *match; /* borrowed */
    uint32_t matches_count;
    uint64_t first_seed;
    uint32_t seeds_count;
    const uint64_t *at; /* checkpoints, borrowed; see sotto_point */
    uint32_t at_count;
    uint32_t threads; /* 1 to SOTTO_THREADS_MAX */
} sotto_sweep;

#define SOTTO_THREADS_MAX 1024u

/* Run r of a sweep is match r / seeds_count with seed first_seed + r % seeds_count. */
static inline uint64_t sotto_sweep_runs(const sotto_sweep *sweep)
{
    return sweep == NULL ? 0 : UINT64_C(1) * sweep->matches_count * sweep->seeds_count;
}

/* Follows a sweep. Always called on the thread that called sotto_sweep_run. */
typedef struct sotto_sweep_listener {
    /* True if an earlier sweep finished this run, so that it is not played. NULL: all are played. */
    bool (*known)(void *state, uint64_t run);
    /* A run is finished; runs finish in any order. False ends the sweep. */
    bool (*finished)(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result);
    /* Called about ten times a second with the rounds played so far. False ends the sweep. May be
     * NULL. */
    bool (*progress)(void *state, uint64_t rounds);
    void *state;
    /* Custom code failed in this run; `fault` says how. True continues with the other runs, false ends
     * the sweep. NULL: the sweep ends with SOTTO_E_PLUGIN. */
    bool (*failed)(void *state, uint64_t run, const char *fault);
} sotto_sweep_listener;

/* SOTTO_OK also if the listener ended the sweep. The listener is called for every finished run. */
SOTTO_API SOTTO_CHECK sotto_status sotto_sweep_run(const sotto_sweep *sweep,
                                                   const sotto_sweep_listener *listener);

#ifdef __cplusplus
}
#endif
#endif
