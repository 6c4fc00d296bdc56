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
    /* Custom methods, one per player. Where an entry is not NULL, it replaces that player. NULL: no
     * method is custom. */
    const sotto_player_table *const *custom;
    uint32_t players_count;  /* 1 to SOTTO_COMPARISON_PLAYERS_MAX */
    const double *epsilon;   /* each once */
    uint32_t epsilons_count; /* 1 to SOTTO_COMPARISON_EPSILONS_MAX */
    double delta;            /* of gaussian noise */
    bool allow_weak_delta;   /* consent to delta above 1e-6 */
    bool unknown_horizon;    /* methods do not know T */
    /* Also play best-arm, to show what each epsilon achieves without context; its matches come last.
     * Ignored unless there are two methods or more, one of them private and none of them best-arm, and
     * for epsilons and scenes in which best-arm cannot be played. If `epoch` is 1, its epochs follow the
     * rule. */
    bool best_arm;
    bool revenue;   /* decide by worth times reward; only for a scene with a population */
    uint64_t epoch; /* reports between models; 0: by the rule */
    double growth;  /* as in sotto_match */
    uint64_t first_seed;
    uint32_t seeds, threads; /* at least 1; threads to SOTTO_THREADS_MAX */
    /* Checkpoints, increasing, the last of them the horizon; 1 to SOTTO_POINTS_MAX of them. NULL:
     * 1, 2, 5, 10, ... and the horizon. */
    const uint64_t *at;
    uint32_t at_count;
    uint32_t changes_count; /* changed fields; their values are in `wanted` */
    sotto_comparison_change change[SOTTO_COMPARISON_CHANGES_MAX];
    sotto_match wanted;
} sotto_comparison_request;

/* Method sotto at epsilon 1, delta 1e-6, a model after every report, seeds 1 to 10, one thread, the
 * usual checkpoints, nothing changed; best_arm is false, and true in `sotto simulate`. */
SOTTO_API sotto_comparison_request sotto_comparison_request_default(const sotto_scene *scene);

/* Changes a field in all matches in which it has a meaning, for example
 * SOTTO_COMPARISON_CHANGE(&request, environment.noise, 0.2). A change of the first of these fields takes
 * the others from `wanted` as well: spec.score with spec.huber_tau, spec.split with split_paper,
 * spec.reward_lo with spec.reward_hi, people_per_second with spec.reward_window_s and
 * spec.send_spread_s. With a clock, spec.epoch_lag_max is 8 and epoch_seconds_min that of a service,
 * unless they are changed. */
#define SOTTO_COMPARISON_CHANGE(request, member, value)                                            \
    ((request)->wanted.member = (value),                                                           \
     sotto_comparison_request_change((request), offsetof(sotto_match, member),                     \
                                     sizeof((request)->wanted.member)))
/* Marks a field of `wanted` as changed. False if it is not part of a match or there are too many
 * changes. */
SOTTO_API bool sotto_comparison_request_change(sotto_comparison_request *request, size_t field,
                                               size_t bytes);

/* SOTTO_OK if it can be played; otherwise a status and the field, its value and what is allowed, or the
 * method whose match cannot be played and the reason. */
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

/* Its matches, seeds and checkpoints: method by method, each at every epsilon; those that `best_arm` adds
 * come last. Valid until the comparison is freed. */
SOTTO_API const sotto_sweep *sotto_comparison_sweep(const sotto_comparison *comparison);

/* Plays the unfinished runs. The listener and each of its functions may be NULL. When it is called for a
 * finished run, the rows of that run exist. SOTTO_OK also if the listener stopped it; another call
 * continues from there. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_play(sotto_comparison *comparison,
                                                         const sotto_sweep_listener *listener);
/* Takes a run that was played before, for example one from a file, so that it is not played again.
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
    double epsilon;     /* as in the request, also for methods without privacy */
    uint64_t seed;
    uint64_t t;
    double regret, estimation_error; /* as in sotto_point */
} sotto_comparison_row;

/* The number of all rows, including those of unfinished runs: run by run, as sotto_sweep_runs counts
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

/* The results of measure rounds at the end of a run. False if there is no such run, if it was not played
 * here, or if its match has no measure rounds. */
SOTTO_API bool sotto_comparison_measured(const sotto_comparison *comparison, uint64_t run,
                                         sotto_run_measurement *out);

/* ---- summary ------------------------------------------------------------------------------ */

/* The results of one match at its last round, over finished runs. Numbers that do not exist are NAN. */
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
    /* Of reports in phases with nulls, in runs played here; NAN: no such phase. */
    double null_share;
    /* Of matches with a clock, in runs played here; NAN: none. */
    double late_share; /* of the reports that came, the share refused as late */
    double age;        /* of reports to learn from, in epochs: N/n - 1 */
    /* What epsilon costs any method. Only for methods that ship, private with delta 0, under calibration
     * exact, without liars. `start` is NAN if such a method of the comparison has less regret, by three
     * standard errors. */
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
