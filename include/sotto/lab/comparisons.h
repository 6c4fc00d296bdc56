/*
 * The lab: methods compared on the same people, as `sotto simulate` does it: the same rows and
 * the same numbers, bit by bit. Not for production.
 *
 *     request -> new -> play -> rows, summary
 *
 * A handle is used by one thread at a time; `threads` of the request play. The head of core.h says
 * what NULL does.
 */
#ifndef SOTTO_LAB_COMPARISONS_H
#define SOTTO_LAB_COMPARISONS_H

#include <sotto/lab/floors.h>
#include <sotto/lab/runs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is asked for -------------------------------------------------------------------- */

/* A field of sotto_match that differs from sotto_match_default. */
typedef struct sotto_comparison_change {
    size_t field; /* its offset */
    size_t bytes;
} sotto_comparison_change;

#define SOTTO_COMPARISON_CHANGES_MAX 32u
#define SOTTO_COMPARISON_EPSILONS_MAX 1024u
#define SOTTO_COMPARISON_PLAYERS_MAX 256u

/* Methods at epsilons on one scene. Every match is that of sotto_match_default, except for the fields
 * that are changed. Arrays are borrowed. */
typedef struct sotto_comparison_request {
    sotto_scene scene;
    sotto_calibration calibration;
    const sotto_player *player; /* each once */
    /* Custom methods, one per player; where it is not NULL that player does not count. NULL:
     * none is custom. */
    const sotto_player_table *const *custom;
    uint32_t players_count;  /* 1 to SOTTO_COMPARISON_PLAYERS_MAX */
    const double *epsilon;   /* each once */
    uint32_t epsilons_count; /* 1 to SOTTO_COMPARISON_EPSILONS_MAX */
    double delta;            /* of gaussian noise */
    bool allow_weak_delta;   /* consent to delta above 1e-6 */
    bool unknown_horizon;    /* methods do not know T */
    /* Compare with best-arm, too, what each epsilon buys without context: its matches come last. Only beside two
     * methods or more, one of them private and none of them best-arm, and at epsilons and in scenes in which it can be
     * played. Its models are by the rule where `epoch` is 1. */
    bool best_arm;
    bool revenue;   /* decide by what a reward is worth: of a scene with a population */
    uint64_t epoch; /* reports between models; 0: by the rule */
    double growth;  /* as in sotto_match */
    uint64_t first_seed;
    uint32_t seeds, threads; /* at least 1; threads to SOTTO_THREADS_MAX */
    /* Checkpoints, increasing, the last of them the horizon; 1 to SOTTO_POINTS_MAX of them. NULL:
     * 1, 2, 5, 10, ... and the horizon. */
    const uint64_t *at;
    uint32_t at_count;
    uint32_t changes_count; /* fields of `wanted` that count; the others do not */
    sotto_comparison_change change[SOTTO_COMPARISON_CHANGES_MAX];
    sotto_match wanted;
} sotto_comparison_request;

/* Method sotto at epsilon 1, delta 1e-6, a model after every report, seeds 1 to 10, one thread, the
 * usual checkpoints, nothing changed; best_arm is false, and true in `sotto simulate`. */
SOTTO_API sotto_comparison_request sotto_comparison_request_default(const sotto_scene *scene);

/* Changes a field in all matches in which it has a meaning, such as
 * SOTTO_COMPARISON_CHANGE(&request, environment.noise, 0.2). Fields that belong together are taken
 * from `wanted` with the first of them: spec.score with spec.huber_tau, spec.split with split_paper,
 * spec.reward_lo with spec.reward_hi, people_per_second with spec.reward_window_s and spec.send_spread_s. With a
 * clock, spec.epoch_lag_max is 8 and epoch_seconds_min what a service has, unless they are changed. */
#define SOTTO_COMPARISON_CHANGE(request, member, value)                                            \
    ((request)->wanted.member = (value),                                                           \
     sotto_comparison_request_change((request), offsetof(sotto_match, member),                     \
                                     sizeof((request)->wanted.member)))
/* Marks a field of `wanted` as changed. False if it is not part of a match, or there are too many changes. */
SOTTO_API bool sotto_comparison_request_change(sotto_comparison_request *request, size_t field,
                                               size_t bytes);

/* SOTTO_OK if it can be played; otherwise a status, and the field, its value and what is allowed; for a
 * match that cannot be played, the method and the reason. */
SOTTO_API SOTTO_CHECK sotto_status
sotto_comparison_request_fault(const sotto_comparison_request *request, sotto_fault *fault);

/* ---- the comparison ----------------------------------------------------------------------- */

typedef struct sotto_comparison sotto_comparison;

#define SOTTO_COMPARISON_ROWS_MAX (UINT64_C(1) << 32)

/* SOTTO_E_FAULT if sotto_comparison_request_fault finds one, SOTTO_E_MEMORY also for more than
 * SOTTO_COMPARISON_ROWS_MAX rows. What the request borrows is copied, except for populations, worths
 * and custom tables. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_new(const sotto_comparison_request *request,
                                                        sotto_comparison **out);
SOTTO_API void sotto_comparison_free(sotto_comparison *comparison);

/* Its matches, seeds and checkpoints: method by method, each at every epsilon; last those of best-arm, if it
 * was not asked for. Valid until the comparison is freed. */
SOTTO_API const sotto_sweep *sotto_comparison_sweep(const sotto_comparison *comparison);

/* Plays the runs that are not finished. The listener may be NULL, as may each of its functions;
 * when it is called for a finished run, the rows of that run exist. SOTTO_OK also if the
 * listener ended it: another call continues from there. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_play(sotto_comparison *comparison,
                                                         const sotto_sweep_listener *listener);
/* Takes a run that was played before, such as one that was read from a file: it is not played again.
 * `point` has one entry per checkpoint. SOTTO_E_FAULT if there is no such run, if it is finished, or
 * if it has other checkpoints. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_take(sotto_comparison *comparison, uint64_t run,
                                                         const sotto_point *point,
                                                         uint32_t points_count);
/* Runs that are finished. */
SOTTO_API uint64_t sotto_comparison_done(const sotto_comparison *comparison);

/* ---- rows --------------------------------------------------------------------------------- */

/* One checkpoint of one run. */
typedef struct sotto_comparison_row {
    const char *method; /* valid until the comparison is freed */
    double epsilon;     /* as it was asked for, also of methods without privacy */
    uint64_t seed;
    uint64_t t;
    double regret, estimation_error; /* as in sotto_point */
} sotto_comparison_row;

/* All rows, those of runs that are not finished included: run by run, as sotto_sweep_runs counts
 * them, checkpoint by checkpoint. */
SOTTO_API uint64_t sotto_comparison_rows(const sotto_comparison *comparison);
/* False if there is no such row, or if its run is not finished. */
SOTTO_API bool sotto_comparison_row_at(const sotto_comparison *comparison, uint64_t row,
                                       sotto_comparison_row *out);

#define SOTTO_COMPARISON_HEADER "method,epsilon,seed,t,regret,estimation_error\n"
#define SOTTO_ROW_BYTES 256u /* room for a row as text */
/* The row as `sotto simulate` writes it, a line of CSV; returns its length. Numbers are the same when
 * they are read back. The decimal point is that of the program's locale. 0: the method's name is
 * longer than 100 bytes. */
SOTTO_API size_t sotto_comparison_row_csv(const sotto_comparison_row *row,
                                          char text[SOTTO_ROW_BYTES]);

/* What measure rounds say at the end of a run. False if there is no such run, if it was not played here,
 * or if its match has none. */
SOTTO_API bool sotto_comparison_measured(const sotto_comparison *comparison, uint64_t run,
                                         sotto_run_measurement *out);

/* ---- summary ------------------------------------------------------------------------------ */

/* What one match gave at its last round, over the runs that are finished. NAN: a number that does
 * not exist. */
typedef struct sotto_comparison_line {
    const char *method; /* valid until the comparison is freed */
    double epsilon;     /* INFINITY: not private */
    bool repeated;      /* the same as an earlier line, of a method without privacy */
    uint32_t seeds;     /* runs that are finished */
    uint64_t t;         /* the last round */
    double regret_mean, regret_se, regret_median, regret_p10, regret_p90;
    double error_mean; /* of the estimate */
    double cost;       /* regret over that of the same learning without privacy, if it is played */
    double rounds_per_second;
    uint64_t repairs; /* see sotto_learner_repairs */
    double
        null_share; /* of reports of phases with nulls, in runs played here; NAN: no such phase */
    /* Of matches with a clock, in runs played here; NAN: none. */
    double late_share; /* of reports that came, those that were refused as late */
    double age;        /* of reports to learn from, in epochs: N/n - 1 */
    /* What epsilon costs any method; of methods that ship, private with delta 0, under calibration exact,
     * without liars. `start` is NAN where such a method of the comparison lost less, by three standard errors. */
    sotto_floor floor;
} sotto_comparison_line;

/* One line per match, in their order. SOTTO_E_LENGTH unless lines_count is how many there are. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_summarise(const sotto_comparison *comparison,
                                                              sotto_comparison_line *line,
                                                              uint32_t lines_count);

#ifdef __cplusplus
}
#endif
#endif
