/* What other rooms may use of this one. */
#ifndef SOTTO_SERVER_ROOM_H
#define SOTTO_SERVER_ROOM_H

#include "side.h"

#include <sotto/core.h>
#include <sotto/server.h>

#include <stddef.h>
#include <stdint.h>

/* ---- estimator ------------------------------------------------------------------------------ */

/*
 * Estimators: from the sums of an epoch to the next model.
 *
 * An estimator sees sums of what reports carry, never a report; t counts reports. All of them write
 * their estimate into the model that is published.
 */

/* All reports of one phase that came in since the last publish. */
typedef struct sotto__batch {
    sotto_phase phase;
    uint64_t count; /* reports, at least 1 */
    uint64_t heard; /* those of them that are not null */
    uint64_t late;  /* epochs that its reports are late, added up */
    /* Per-arm parameters: reports that say something of each arm: those assigned to it in warm-up,
     * those tagged with it, otherwise all. NULL for shared parameters. */
    const uint64_t *arm_count;
    /* Codebook methods: the sum of the unit codewords z, laid out as sotto_tally_sums. Lattice
     * methods: the sum of the noisy statistics, in their own units. */
    const double *sum;
    /* ldp-gloc: the sum over reports of M theta_h, each with the theta_h it was scored by; P
     * numbers. Otherwise NULL. */
    const double *predicted;
} sotto__batch;

/* N = sum of 1 + l over the reports, l the epochs that each is late: the reports that were on their way
 * while these were scored, their own included. */
static inline double sotto__in_flight(const sotto__batch *batch)
{
    return (double)batch->count + (double)batch->late;
}

/* The noise of a lattice report, as the constants of least squares need it. */
typedef struct sotto__noise_level {
    double matrix; /* sd of an off-diagonal entry of the released x x' */
    double vector; /* sd of an entry of the released r x (or e x) */
} sotto__noise_level;

sotto__noise_level sotto__noise_level_of(const sotto_terms *terms);

/* Numbers that an estimator keeps from batch to batch: each of them from least to most, or counts of
 * reports, which add up to at most those of the model. */
typedef struct sotto__kept {
    double *number;    /* NULL for counts */
    uint64_t *reports; /* NULL for numbers */
    size_t count;
    double least, most;
} sotto__kept;
#define SOTTO__KEPT_MAX 5

typedef struct sotto__estimator sotto__estimator;
struct sotto__estimator {
    const sotto_terms *terms; /* borrowed, as is the next */
    const sotto_learning *learning;
    sotto__noise_level noise;
    uint64_t repairs; /* shifts doubled because a matrix was not positive definite */
    /* Learns from a batch. model->reports is the number of reports before it. */
    void (*absorb)(sotto__estimator *self, const sotto__batch *batch, sotto_model *model);
    /* ||estimate_a - truth_a||, as far as the server can tell, of the worst arm, at the end of a
     * warm-up of per-arm parameters; at most D. NULL where the method does not eliminate. */
    double (*predict_error)(const sotto__estimator *self);
    /* All that it keeps beside the model and `repairs`, in the order of its bytes; returns how many
     * entries. NULL: nothing. */
    uint32_t (*kept)(sotto__estimator *self, sotto__kept kept[SOTTO__KEPT_MAX]);
    void (*free)(sotto__estimator *self); /* accepts what its own _new made */
};

void sotto__estimator_free(sotto__estimator *estimator); /* accepts NULL */

/* Makes an estimator. *out is NULL before, and stays so unless SOTTO_OK. */
typedef sotto_status sotto__estimator_maker(const sotto_terms *terms,
                                            const sotto_learning *learning, sotto__estimator **out);

/* theta -= step sum. A coordinate that would leave the finite numbers stays where it is. */
void sotto__descend(double *restrict theta, const double *restrict sum, double step,
                    uint32_t count);

/* The end of warm-up: phase main, and for methods that eliminate (paper, Algorithm 2) the estimate
 * frozen, with h = elimination_scale C_B max_a ||theta_a - theta*_a|| as far as it is predicted. */
void sotto__end_warm_up(const sotto__estimator *estimator, sotto_model *model);

/* theta = theta min(1, D/||theta||), D = theta_norm_max. */
void sotto__project(double *theta, uint32_t dim, double norm_max);

/* T, or while it is unknown the smallest power of two, at least 1024, that is larger than t. */
double sotto__horizon(const sotto_learning *learning, uint64_t t);

/* min(t, W), W = window_reports: what a drifting world leaves of t reports. */
double sotto__remembered(const sotto_spec *spec, double t);

/* ---- estimator_gloc ------------------------------------------------------------------------- */

/* Sums of ldp-gloc reports. */

/* out += M theta_h, block by block, with M the released x x' of a sum of ldp-gloc reports (laid out
 * as batch->sum); theta_h and out have P numbers. */
void sotto__gloc_predicted(const sotto_terms *terms, const double *sum, const double *theta_h,
                           double *out);

/* ---- estimator_table ------------------------------------------------------------------------ */

/* The table of estimators: which one a method has. */

/* The estimator of the spec's method, from the table. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status sotto__estimator_new(const sotto_terms *terms,
                                              const sotto_learning *learning,
                                              sotto__estimator **out);

/* ---- watch_aim ------------------------------------------------------------------------------ */

/* The directions along which the watch looks at codewords: fixed by the model of the current epoch, before
 * any report that is looked at was folded. */

#define SOTTO__AIM_WAYS 2u   /* what decides; and where the last steps went */
#define SOTTO__AIM_LEVELS 4u /* chances of a tail: 0.1, 0.01, 0.001, 0.0001 */

/* How a phase's codewords lie in the parameters. */
typedef enum sotto__aim_shape {
    SOTTO__AIM_NONE,  /* they do not: codewords of moments, of dimension 1, and ticks */
    SOTTO__AIM_ROWS,  /* a codeword is of one row */
    SOTTO__AIM_WHOLE, /* of all rows together */
    SOTTO__AIM_SIGNS  /* of their sum with the signs of the nonce */
} sotto__aim_shape;

/* A direction of theta's shape, not of length 1. */
typedef struct sotto__aim_way {
    double *at;   /* rows x dim */
    double *norm; /* rows: of each; 0: there is none */
    double whole; /* of all together */
} sotto__aim_way;

typedef struct sotto__aim {
    uint32_t rows, dim; /* of theta */
    sotto__aim_shape shape[SOTTO_PHASES];
    uint32_t levels[SOTTO_PHASES];                  /* that are used */
    double square[SOTTO_PHASES][SOTTO__AIM_LEVELS]; /* t^2 of each */
    sotto__aim_way way[SOTTO__AIM_WAYS];
} sotto__aim;

/* P(|U_1| > t) of a level. */
double sotto__aim_chance(uint32_t level);

/* All directions 0. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status sotto__aim_new(const sotto_terms *terms, sotto__aim **out);
void sotto__aim_free(sotto__aim *aim); /* accepts NULL */
/* The directions of a model of these terms. */
void sotto__aim_set(sotto__aim *aim, const sotto_model *model);

/* ---- watch ---------------------------------------------------------------------------------- */

/*
 * The watch compares reports with what honest people send, whoever these people are. Five tests, each of the
 * reports since the last publish; docs/guarantees.md states each, proves it, and says what none of them sees.
 *
 * It is off unless somebody turns it on. Counts stand beside the sums of a tally: integers, the same in any
 * order and on any number of threads. They are in no bytes of a tally or learner; after a restart they are
 * counted again from the reports (sotto__learner_recount).
 */

#define SOTTO__WATCH_MAP(X)                                                                        \
    X(INDEX, "index") X(TAIL, "tail") X(ROLES, "roles") X(ARMS, "arms") X(COUNT, "count")
/* index   codeword indices that are not equally likely, within a tag
 * tail    more codewords near a direction of the model than any scores can cause
 * roles   too many or too few reports of a role
 * arms    assigned arms that are not equally likely
 * count   more reports than SOTTO__WATCH_TIMES as many as the owner expects */
typedef enum sotto__watch_test {
#define SOTTO__WATCH_ENUMERATOR(name, text) SOTTO__WATCH_##name,
    SOTTO__WATCH_MAP(SOTTO__WATCH_ENUMERATOR)
#undef SOTTO__WATCH_ENUMERATOR
        SOTTO__WATCH_TESTS
} sotto__watch_test;
/* NULL for another number. */
const char *sotto__watch_name(sotto__watch_test test);

#define SOTTO__WATCH_ALPHA 1e-6 /* of an epoch: that honest people cause any alarm but count */
#define SOTTO__WATCH_TIMES 2u
/* Codewords are not quite uniform on the sphere: no cap of a level has a chance more than 5 % above
 * the sphere's (docs/guarantees.md has what was measured). */
#define SOTTO__WATCH_MARGIN 1.05

/* What is counted beside a tally. */
typedef struct sotto__watch {
    const sotto__aim *aim; /* the learner's */
    uint64_t *index;       /* by codeword index, of the largest codebook */
    uint32_t index_count;
    uint64_t aimed[SOTTO__AIM_WAYS]; /* codewords that there was a direction for */
    uint64_t tail[SOTTO__AIM_WAYS][SOTTO__AIM_LEVELS];
    double *mixed; /* scratch: dim */
} sotto__watch;

/* *out is NULL unless SOTTO_OK. Borrows the aim. */
SOTTO_CHECK sotto_status sotto__watch_new(const sotto_terms *terms, const sotto__aim *aim,
                                          sotto__watch **out);
void sotto__watch_free(sotto__watch *watch); /* accepts NULL */
/* The same in memory of others: so many numbers, all 0, and `mixed`, which those of one thread can share. */
uint32_t sotto__watch_numbers(const sotto_terms *terms);
void sotto__watch_lay(sotto__watch *watch, const sotto_terms *terms, const sotto__aim *aim,
                      uint64_t *numbers, double *mixed);
void sotto__watch_empty(sotto__watch *watch);
/* Adds all of `from`, of the same terms and aim. */
void sotto__watch_add(sotto__watch *watch, const sotto__watch *from);
/* A learn report's codeword, as fold expanded it: its phase, index, and the row that it is added to; `sign`
 * are the nonce's where the shape of the aim wants them, otherwise they are not read. `times` is 1, or -1 to take it out again. */
void sotto__watch_codeword(sotto__watch *watch, sotto_phase phase, uint32_t index,
                           const int32_t *codeword, uint32_t row, const int8_t *sign,
                           int32_t times);

/* Watches the tally from now on, like the learner whose aim it is. A tally that is merged into a learner's must be
 * watched before it folds, otherwise the tests index and tail do not see its reports. */
SOTTO_CHECK sotto_status sotto__tally_watch(sotto_tally *tally, const sotto__aim *aim);

/* Watches all open epochs from now on. */
SOTTO_CHECK sotto_status sotto__learner_watch(sotto_learner *learner);
/* NULL if nobody watches. */
const sotto__aim *sotto__learner_aim(const sotto_learner *learner);
/* After a restart, for reports that are in the open tallies already: counts them again, those of epochs that
 * are not open left out. `frames` as in sotto_learner_take_frames. */
SOTTO_CHECK sotto_status sotto__learner_recount(sotto_learner *learner, const uint8_t *frames,
                                                size_t frames_bytes);
/* Forgets what was counted, if the reports turn out to be in an earlier publish. */
void sotto__learner_uncount(sotto_learner *learner);

/* What the tests say of the reports since the last publish. */
typedef struct sotto__watch_verdict {
    uint64_t reports; /* of all roles */
    uint32_t alarms;  /* bit t: test t */
    double chance
        [SOTTO__WATCH_TESTS]; /* that honest reports look like this or worse, at most; 1: there was
                                          nothing to look at, or the test has no chance (count) */
} sotto__watch_verdict;

/* `alpha` is shared by the four tests that have a chance; `reports_expected` is the owner's, 0: not said. */
sotto__watch_verdict sotto__learner_verdict(const sotto_learner *learner, double alpha,
                                            uint64_t reports_expected);

/* ---- tally ---------------------------------------------------------------------------------- */

/* The parts of a tally. */

/* Rewards as measure rounds report them. */
typedef struct sotto__measured {
    uint64_t count;
    int64_t sum; /* of +1 and -1 */
} sotto__measured;

/* True if so many reports can have this sum; for a count below 2^63. */
bool sotto__measured_possible(const sotto__measured *measured);

struct sotto_tally {
    sotto_terms terms;
    uint32_t epoch;
    sotto_phase phase;
    bool decides;        /* the epoch's model does: some rounds follow it */
    bool served;         /* it serves a fallback: no learn report comes, and none is taken */
    uint64_t count;      /* learn reports folded */
    uint64_t heard;      /* those of them that are not null */
    uint64_t measured;   /* reports of measure rounds */
    uint32_t sums_count; /* dim, arms x dim, or ticks */
    int64_t *sum;
    uint64_t *arm_count;      /* arms: reports of each, where sotto__tally_counts_arms; else 0 */
    sotto__measured *control; /* arms: by assigned arm */
    sotto__measured follow;
    uint32_t *shares;    /* arms: of the epoch's model, for best-arm; else NULL */
    int32_t *codeword;   /* scratch of fold */
    int8_t *sign;        /* scratch of fold: arms */
    sotto__watch *watch; /* NULL: nobody watches */
};

/* As sotto_tally_new, of an epoch whose model is of this phase, and decides or not. SOTTO_E_PHASE for
 * a phase that the spec does not have. */
SOTTO_CHECK sotto_status sotto__tally_new(const sotto_terms *terms, uint32_t epoch,
                                          sotto_phase phase, bool decides, sotto_tally **out);

/* Sets the shares that the arms of the epoch follow; equal ones otherwise. Nothing to do, and shares may
 * be NULL, unless the method is best-arm. */
void sotto__tally_share(sotto_tally *tally, const uint32_t *shares);

/* Empties a tally for another epoch of its spec, in a phase that the spec has. `served` stays. */
void sotto__tally_begin(sotto_tally *tally, uint32_t epoch, sotto_phase phase, bool decides);

/* What sotto_tally_fold would answer; nothing changes. */
SOTTO_CHECK sotto_status sotto__tally_check(const sotto_tally *tally, const sotto_report *report);

/* Takes a report out again that sotto_tally_fold has added: to the bit as if it had not come. */
void sotto__tally_unfold(sotto_tally *tally, const sotto_report *report);

/* The memory of a tally: numbers of 8 bytes that are 0 while it is empty, and scratch of fold, which
 * tallies of one thread can share. */
size_t sotto__tally_numbers(const sotto_terms *terms);
size_t sotto__tally_scratch_bytes(const sotto_terms *terms);
/* Makes an empty tally in such memory, of numbers that are all 0. Its shares are still NULL. */
void sotto__tally_lay(sotto_tally *tally, const sotto_terms *terms, uint64_t *numbers,
                      void *scratch);

/* Learn reports and those of measure rounds: at most SOTTO_REPORTS_MAX. */
uint64_t sotto__tally_all(const sotto_tally *tally);

/* True if each report counts for one arm only: per-arm warm-up and mean phase, and tags. */
bool sotto__tally_counts_arms(const sotto_tally *tally);

/* ---- measure -------------------------------------------------------------------------------- */

/* What measure rounds add up to, over the epochs of a learner. */

typedef struct sotto__measures {
    sotto__measured follow, control;               /* over all epochs whose model decides */
    sotto__measured recent_follow, recent_control; /* since their number was last a power of two */
    uint32_t doublings;                            /* j: that power is 2^j */
    sotto__measured *control_arm;                  /* arms */
} sotto__measures;

/* Copies all of it; both have room for so many arms. */
void sotto__measures_copy(const sotto__measures *from, uint32_t arms, sotto__measures *to);
/* Adds the measure rounds of one epoch, if its model decides. */
void sotto__measures_add(sotto__measures *measures, const sotto_tally *tally);
/* Adds sums of the two roles, of one epoch or several, to all but control_arm, which may be NULL. */
void sotto__measures_add_roles(sotto__measures *measures, const sotto__measured *follow,
                               const sotto__measured *control);

/* log2, rounded down; 0 for 0. */
uint32_t sotto__log2_floor(uint64_t n);
/* j of those counts: log2 of follow and control together, rounded down; 0 for none. */
uint32_t sotto__measures_doublings(const sotto__measures *measures);

/* The half-width of an interval for the mean of n values of +1 and -1 that holds for all n at once with
 * chance 1 - alpha. Infinite for n = 0. */
double sotto__measure_width(uint64_t n, double alpha);

/* What they say: sotto_learner_measure and sotto_learner_measure_arm of these counts and sums. */
sotto_status sotto__measurement(const sotto_terms *terms, const sotto__measures *measures,
                                double alpha, sotto_measurement *out);
sotto_status sotto__arm_measurement(const sotto_terms *terms, const sotto__measures *measures,
                                    double alpha, uint32_t arm, sotto_arm_measurement *out);

/* ---- harm ----------------------------------------------------------------------------------- */

/* Whether the policy does harm, and what people get instead. */

#define SOTTO__HARM_ALPHA 0.0005 /* of each of the two intervals: a false alarm, ever */
#define SOTTO__BELOW_ALPHA 0.05  /* of the notice below-best-arm */

/* All of it follows from published epochs and from what the owner did. */
typedef struct sotto__harm {
    sotto__measured all, recent; /* u, since the last restart, and since 2^j of them */
    uint32_t doublings;          /* j */
    uint32_t restarts;           /* k: fallbacks that the owner ended */
    uint32_t epoch;              /* opened by the publish at which the alarm fired; 0: it did not */
    uint32_t served_epoch;       /* the first with the fallback that is served; 0: none is */
    bool ends;                   /* the fallback does, at the next publish */
} sotto__harm;

/* Adds the measure rounds of one epoch, if its model decides. */
void sotto__harm_add(sotto__harm *harm, const sotto_tally *tally);
/* As it is if nothing was ever restarted: from the sums of all epochs. */
void sotto__harm_derive(const sotto__measures *measures, sotto__harm *out);
/* The upper ends of the uplift, at most hi - lo. */
void sotto__harm_upper(const sotto_terms *terms, const sotto__harm *harm, double *all,
                       double *recent);
/* Whether either of them is below 0. */
bool sotto__harm_shows(const sotto__harm *harm, const sotto_terms *terms);
/* The end of an epoch, with its reports in the sums: fires, begins to serve, or ends that. `unsure`: the
 * test of role counts alarms, and no fallback begins. `model` is of the epoch that ends. */
void sotto__harm_step(sotto__harm *harm, const sotto_terms *terms, uint32_t fallback, bool unsure,
                      sotto_model *model);
/* The arm that would certainly be better for everybody than the policy, by the cumulative
 * intervals; UINT32_MAX: none. */
uint32_t sotto__better_arm(const sotto_terms *terms, const sotto__measures *measures);

/* What a model serves by this setting. */
static inline uint32_t sotto__served_by(uint32_t fallback, uint32_t arms)
{
    return fallback == SOTTO_FALLBACK_RANDOM ? arms + 1 : fallback;
}

/* Whether a learner has bytes of it: otherwise all follows from the measures. */
bool sotto__harm_is_kept(const sotto__harm *harm, uint32_t fallback);
/* SOTTO_OK, or SOTTO_E_FAULT and what cannot be. */
SOTTO_CHECK sotto_status sotto__harm_fault(const sotto_learner *learner, sotto_fault *fault);

/* Role counts of the reports since the last publish that honest devices do not cause (watch_verdict.c). */
bool sotto__roles_alarm(const sotto_learner *learner);

/* ---- mean ----------------------------------------------------------------------------------- */

/* The mean phase: where contexts lie on average, before anything is learned of rewards. */

/* What a learner keeps of the phase. */
typedef struct sotto__mean {
    uint64_t reports; /* of the mean phase, those that came too late for g among them */
    double *sum;      /* dim: the sum of their unit codewords */
} sotto__mean;

/* Adds the reports of a batch and their sums: one row per arm, in unit codewords. */
void sotto__mean_add(sotto__mean *mean, const sotto_spec *spec, uint64_t reports,
                     const double *sum);

/* g of the reports so far; dim numbers. */
void sotto__mean_direction(const sotto__mean *mean, uint32_t dim, double *g);

/* ---- learner -------------------------------------------------------------------------------- */

/* The parts of a learner. */

/* An epoch whose reports are still accepted. */
typedef struct sotto__open_epoch {
    sotto_tally *tally;
    double *theta_h; /* ldp-gloc: the online estimate that its people were scored by; else NULL */
} sotto__open_epoch;

struct sotto_learner {
    sotto_terms terms;
    sotto_learning learning;
    sotto__estimator *estimator;
    sotto_model *model;
    sotto_report *report;    /* scratch for a frame */
    uint64_t taken;          /* reports since the last publish */
    uint64_t wanted;         /* reports that the current epoch should have */
    uint32_t open_count;     /* epoch_lag_max + 1 */
    sotto__open_epoch *open; /* epoch e at e % open_count */
    sotto__measures measures;
    sotto__harm harm;
    sotto__aim *aim;  /* of the watch; NULL: nobody watches */
    sotto__mean mean; /* its sum is NULL unless the terms have a mean phase */
    double unit;      /* of the sums: 2^-30 for codewords, the grid's step for ticks */
    /* Scratch of publish: one batch, and the sums of one epoch of it. */
    double *sum;
    double *epoch_sum;
    double *predicted;   /* ldp-gloc; else NULL */
    uint64_t *arm_count; /* per-arm parameters, best-arm; else NULL */
    double *memory;      /* all doubles above */
};

/* What a tally counts for the size of the current epoch. */
static inline uint64_t sotto__learner_counted(const sotto_learner *learner,
                                              const sotto_tally *tally)
{
    return tally->count + (learner->model->served > 0 ? tally->measured : 0);
}

/* How many reports the current epoch should have, by the model and the phases so far. */
uint64_t sotto__learner_wants(const sotto_learner *learner);

/* The reports of any phase after which the current one ends; 0: it does not. */
uint64_t sotto__learner_phase_end(const sotto_learner *learner);

/* What measure rounds will add up to after the next publish; `out` has room for the arms. */
void sotto__learner_next_measures(const sotto_learner *learner, sotto__measures *out);

/* Whether the next publish shows harm for the first time. */
bool sotto__learner_will_harm(const sotto_learner *learner);

/* sotto_learner_publish in the environment of the caller's thread. For the broken twin. */
SOTTO_CHECK sotto_status sotto__learner_publish(sotto_learner *learner);

/* Takes frames up to the first that is refused; how many that were. */
size_t sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames, size_t count);
/* Takes frames out again that were all taken since the last publish: to the bit as if they had not come. */
void sotto__learner_untake(sotto_learner *learner, const uint8_t *frames, size_t count);

/* The open epoch of a number; NULL if it is not open. */
sotto__open_epoch *sotto__learner_epoch(sotto_learner *learner, uint32_t epoch);

/* ---- portion -------------------------------------------------------------------------------- */

/*
 * What one of several threads adds up for a learner: a tally per open epoch, in memory that serves one
 * learner after another. Sums are exact, so portions that are merged are the reports taken one by one.
 */

typedef struct sotto__portion sotto__portion;

/* NULL: no memory. */
sotto__portion *sotto__portion_new(void);
void sotto__portion_free(sotto__portion *portion);

/* Makes an empty portion one of this learner, until its next publish. Takes memory only if no learner before
 * needed as much; false: there is none, and the portion is as before. */
SOTTO_CHECK bool sotto__portion_fit(sotto__portion *portion, const sotto_learner *learner);
/* Takes frames up to the first that the learner would refuse; how many that were. Nothing of the learner is
 * read: it may take others meanwhile. */
size_t sotto__portion_take(sotto__portion *portion, const uint8_t *frames, size_t count);
/* Adds the portion to its learner, whose tallies have room, and empties it. */
void sotto__portion_merge(sotto__portion *portion, sotto_learner *learner);
void sotto__portion_empty(sotto__portion *portion);

/* Nanoseconds, roughly: of taking a frame in the current phase, and of merging a portion of one epoch. For
 * deciding whether a thread more pays; bench_fold prints the first beside what it is. */
uint64_t sotto__learner_frame_ns(const sotto_learner *learner);
uint64_t sotto__learner_merge_ns(const sotto_learner *learner);
/* The most that a frame of these terms takes in any phase. */
uint64_t sotto__terms_frame_ns(const sotto_terms *terms);

/* ---- precision ------------------------------------------------------------------------------ */

/* The precision 1/P of the tracked estimator, and what reports add to it. */

#define SOTTO__CHOSEN_SLOPE 0.7 /* h: what is left of S where contexts are those of a chosen arm */

/* 1/P of theta = 0: d/D^2, or the prior of the settings where they have one. */
double sotto__first_precision(const sotto_spec *spec, const sotto_learning *learning);

/* Runs 1/P over the reports, each of which adds information S^2 to it, with S from the P before
 * it; returns S of the last of them, 0 if there is none. Under drift 1/P is never more than `first`,
 * 1/P of theta = 0, + W times what the report adds. Per-arm scores `self` go by inner.h. Up to
 * SOTTO__LOOP_REPORTS_MAX reports are gone through one by one. */
double sotto__run_precision(const sotto_spec *spec, double first, double information,
                            uint64_t reports, double *precision);

/* ---- schedule ------------------------------------------------------------------------------- */

/* How many reports an epoch waits for before the server publishes. */

/* Reports of the epoch that begins after t reports; at least 1, at most epoch_reports_max, and no
 * more than are left of a phase that ends after phase_end reports (0: it does not end). */
uint64_t sotto__epoch_reports(const sotto_terms *terms, const sotto_learning *learning, uint64_t t,
                              uint64_t phase_end);

/* What a service asks of an epoch beside its size, unless its owner says otherwise. An epoch of one report would
 * publish that person's codeword. */
#define SOTTO__EPOCH_REPORTS_MIN 20u
/* max(1, ceil((reward_window_s + send_spread_s)/epoch_lag_max)): no report that leaves in time is late. */
uint32_t sotto__epoch_seconds_min(const sotto_spec *spec);

/* While a fallback is served measure reports close epochs: so many of them that an epoch has about as many
 * people as one that wants so many learn reports. At least 1. */
uint64_t sotto__served_reports(const sotto_terms *terms, uint64_t learn);

/* ---- siphash -------------------------------------------------------------------------------- */

/* SipHash-2-4 (Aumasson and Bernstein 2012): a short hash that nobody without the key can predict. */

#define SOTTO__SIPHASH_KEY_BYTES 16u

uint64_t sotto__siphash(const uint8_t key[SOTTO__SIPHASH_KEY_BYTES], const uint8_t *bytes,
                        size_t bytes_count);

#endif
