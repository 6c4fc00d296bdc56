/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_REPLAY_ROOM_H
#define SOTTO_LAB_REPLAY_ROOM_H

#include "lab/dataset/dataset.h"
#include "lab/page/page.h"
#include "lab/player/player.h"

#include <sotto/core.h>
#include <sotto/lab/replays.h>
#include <sotto/lab/runs.h>

#include <stdint.h>

/* ---- group ---------------------------------------------------------------------------------- */

/*
 * The rows of a log in groups, and the groups in folds.
 *
 * Only sums by group are kept of the rows. So memory does not depend on how many rows there are,
 * and groups can be resampled when the rows are gone (inner.h). Row i is in group i mod G; with at
 * most G rows, each group is one row. G is a prime, so that no usual period of a file (slots,
 * hours, weekdays) gives a group rows of one kind only. All rows of a group are in one fold.
 */

#define SOTTO__GROUPS 1009u
#define SOTTO__FOLDS 5u

static inline uint32_t sotto__group_of(uint64_t row)
{
    return (uint32_t)(row % SOTTO__GROUPS);
}

/* By the upper bits of a product (Knuth's multiplicative hashing), so that folds have no period. */
static inline uint32_t sotto__fold_of(uint64_t row)
{
    uint32_t mixed = (sotto__group_of(row) + 1) * UINT32_C(2654435761);
    return (uint32_t)((uint64_t)mixed * SOTTO__FOLDS >> 32);
}

/* ---- off_policy ----------------------------------------------------------------------------- */

/*
 * Off-policy evaluation: what a method would have earned, from a log of what others did.
 *
 * An event of a log is a context, the arm a_t that was given, its reward r_t, and the chance p_t that
 * the logging policy gave that arm to that context. A method that would have given the arm b_t:
 *
 *   w_t = 1{b_t = a_t}/max(p_t, clip)
 *   value            (1/n) sum w_t r_t, over all n events   (Horvitz and Thompson 1952, clipped)
 *   its interval     value -+ 1.96 s/sqrt(n), s^2 the sample variance of w_t r_t
 *   self-normalised  sum w_t r_t/sum w_t                    (Swaminathan and Joachims 2015)
 *   effective size   (sum w_t)^2/sum w_t^2                  (Kish 1965)
 *
 * E[w_t r_t] is what b_t earns in the mean wherever every p_t is at least the clip; a clipped event
 * counts for less than it should. Events of weight 1 give a plain mean.
 */

#define SOTTO__NORMAL_95 1.95996398454005423552 /* P(|N(0,1)| > this) = 0.05 */

/* Sums over the events on which the method agreed; the others add nothing. */
typedef struct sotto__off_policy {
    uint64_t matched;
    double weight, weight_squares;
    double product, product_squares; /* of w r */
} sotto__off_policy;

/* An event on which the method agreed. propensity above 0, at most 1; clip likewise, or 0. */
void sotto__off_policy_add(sotto__off_policy *sums, double reward, double propensity, double clip);

/* Adds the events of another one. */
void sotto__off_policy_join(sotto__off_policy *sums, const sotto__off_policy *other);

sotto_estimate sotto__off_policy_value(const sotto__off_policy *sums, uint64_t events);
double sotto__off_policy_self_normalised(const sotto__off_policy *sums); /* NAN: no weight */
double sotto__off_policy_effective_size(const sotto__off_policy *sums);  /* 0: no weight */

/* ---- yardstick ------------------------------------------------------------------------------ */

/* What a data set says before any method learns from it: how many people there are, which arm is the
 * commonest, and for a log what its own policy and every single arm earn. */

/* Sums over the events of a group on which a policy agrees with the log (replay.h): w, w r. */
typedef struct sotto__agreed {
    double weight, product;
} sotto__agreed;

typedef struct sotto__yardstick {
    uint32_t arms;
    double clip; /* of propensities */
    uint64_t rows;
    uint64_t clipped;            /* rows whose propensity is below the clip */
    double propensity_min;       /* 1 while there are no rows */
    double inverse_sum;          /* of 1/max(propensity, clip) */
    double inverse_squares;      /* of its squares */
    sotto__off_policy logging;   /* every row, with weight 1: the mean reward */
    uint64_t *arm_count;         /* arms: rows with this label, or this action */
    sotto__off_policy *constant; /* arms: of giving this arm to everybody */
    sotto__agreed *agreed;       /* arms x SOTTO__GROUPS, likewise; NULL: they are not kept */
} sotto__yardstick;

SOTTO_CHECK sotto_status sotto__yardstick_new(uint32_t arms, double clip, sotto__yardstick **out);
void sotto__yardstick_free(sotto__yardstick *yardstick); /* accepts NULL */
/* For a log, before any people are added: also keeps sums by group of rows. */
SOTTO_CHECK sotto_status sotto__yardstick_keep_groups(sotto__yardstick *yardstick);

void sotto__yardstick_add(sotto__yardstick *yardstick, const sotto_people *people);

/* The most common arm, the first of several. */
uint32_t sotto__yardstick_majority(const sotto__yardstick *yardstick);
/* The arm of the largest value by inverse propensity, among those that were given. */
uint32_t sotto__yardstick_best_arm(const sotto__yardstick *yardstick);

/* How many arms were given to anybody. */
uint32_t sotto__yardstick_arms_given(const sotto__yardstick *yardstick);

/* Whether the shares of labels among the last people differ from those among all rows, as
 * in a sorted file. By chance this is true for one file in about 10^6. False if the last
 * people are all people. */
bool sotto__yardstick_is_sorted(const sotto__yardstick *yardstick, const uint64_t *last_arm_count);

/* m, the smallest propensity, but at least the clip. If events are kept with chance m/max(p,
 * clip), every arm has the same chance, as in a log of random arms. */
double sotto__yardstick_floor(const sotto__yardstick *yardstick);
/* The expected number of events that a method learns from in one pass: (1/K) sum
 * m/max(p, clip), at least 1. */
uint64_t sotto__yardstick_matches(const sotto__yardstick *yardstick);

/* How many arms an event of a log had to choose from on average, estimated from the propensities:
 * the mean of 1/p, plus and minus 4.75 standard errors. NAN: too few rows to tell. */
sotto_span sotto__yardstick_choices(const sotto__yardstick *yardstick);

/* ---- describe ------------------------------------------------------------------------------- */

/* What a file contains, and how well its schema fits. */

typedef struct sotto__description {
    sotto_dataset_counts counted;
    uint32_t columns, numbers, categories,
        ignored;      /* columns that the schema names, and their kinds */
    uint32_t buckets; /* of VW text: numbers that other names share, none of the columns */
    uint32_t dim, arms;
    double *share; /* arms: the share of rows with this label, or this action */
    bool log;
    /* Of a log. */
    double logging_reward; /* its mean reward */
    double propensity_min;
    double clipped_share; /* of events with a propensity below the clip */
} sotto__description;

/* `yardstick` and `counted` are of all rows. */
SOTTO_CHECK sotto_status sotto__describe(const sotto_schema *schema,
                                         const sotto__yardstick *yardstick,
                                         const sotto_dataset_counts *counted,
                                         sotto__description *out);
void sotto__description_free(sotto__description *description);

/* Whether ranges and levels are public, or taken from people's rows: "public", "data". */
const char *sotto__ranges_name(const sotto_schema *schema);

/* If a large share was clipped or missing, the schema may not fit the file. */
#define SOTTO__MISFIT_SHARE 0.01 /* shares above this are reported */
typedef struct sotto__misfit {
    double clipped; /* of numbers and rewards: outside of their range */
    double missing; /* of numbers and categories: without a value */
    double unknown; /* of categories: none of their levels */
} sotto__misfit;

/* Shares of what was read; NAN: there is no such column. */
sotto__misfit sotto__misfit_of(const sotto_schema *schema, const sotto_dataset_counts *counted);

/* ---- reward_model --------------------------------------------------------------------------- */

/*
 * What an arm earns from a person, learnt from the whole log: the model of the direct method.
 *
 * One ridge regression per arm and fold. Rows of fold k are predicted by what the rows of all other
 * folds taught (cross-fitting; Chernozhukov et al. 2018), so no row is predicted by a model
 * that has seen its reward:
 *
 *   mu_k      mean reward of all rows outside of fold k, whatever their arm
 *   theta_ak  (sum x x' + 0.1 I)^-1 sum x (r - mu_k), over rows of arm a outside of fold k
 *   q(x, a)   mu_k + x.theta_ak, for a row of fold k
 *
 * An arm without rows is predicted to earn mu_k. Contexts are at most 1 long, so the ridge counts
 * like a tenth of a row in every direction: docs/data.md, section 4, says what a larger one cost.
 *
 * How far theta_a may be off follows from the scores of its rows, (sum x x' + 0.1 I)^-1 x (r - q(x, a)):
 * kept as sums by group, with r - q(x, a) of the fold's own model.
 *
 * The log is read twice: all of it is added, the model solved, all of it scored.
 */

#define SOTTO__REWARD_MODEL_ROWS_MIN 10u                    /* fewer rows make no model */
#define SOTTO__REWARD_MODEL_BYTES_MAX (UINT64_C(256) << 20) /* of memory */

typedef struct sotto__reward_model {
    uint32_t arms, dim;
    uint64_t rows;                                             /* added */
    uint64_t scored;                                           /* rows */
    double fold_rows[SOTTO__FOLDS], fold_reward[SOTTO__FOLDS]; /* counts, sums */
    double mean[SOTTO__FOLDS];                                 /* mu_k */
    double *gram;    /* folds x arms x packed: sums of x x' */
    double *context; /* folds x arms x dim: sums of x */
    double *product; /* folds x arms x dim: sums of x r */
    double *theta;   /* folds x arms x dim */
    double *factor;  /* arms x packed: Cholesky of sum x x' + 0.1 I over all folds */
    double *score;   /* groups x arms x dim: sums of x (r - q(x, a)) */
} sotto__reward_model;

/* Bytes that a model takes. */
uint64_t sotto__reward_model_bytes(uint32_t arms, uint32_t dim);

SOTTO_CHECK sotto_status sotto__reward_model_new(uint32_t arms, uint32_t dim,
                                                 sotto__reward_model **out);
void sotto__reward_model_free(sotto__reward_model *model); /* accepts NULL */

/* Adds the next rows of the log. */
void sotto__reward_model_add(sotto__reward_model *model, const sotto_people *people);
/* Solves the model. False: fewer rows than SOTTO__REWARD_MODEL_ROWS_MIN. */
bool sotto__reward_model_solve(sotto__reward_model *model);
/* Scores the next rows of the log, in the second pass. */
void sotto__reward_model_score(sotto__reward_model *model, const sotto_people *people);

/* q(x, a) for this row of the file. */
double sotto__reward_model_predict(const sotto__reward_model *model, uint64_t row, const double *x,
                                   uint32_t arm);

/* How far the sum of predictions moves if a group counts once more: sum_a (A_a^-1 given_a).score_ja for
 * every group j, where given_a (arms x dim) is the sum of the contexts that arm a is given to. */
SOTTO_CHECK sotto_status sotto__reward_model_pull(const sotto__reward_model *model,
                                                  const double *given, double pull[SOTTO__GROUPS]);

/* ---- evidence ------------------------------------------------------------------------------- */

/*
 * What a log says of the choices of a method: sums by group of rows (replay.h).
 *
 * For an event of the log, x, a_t, r_t, p_t, and the arm b_t that the method gives:
 *
 *   w_t = 1{b_t = a_t}/max(p_t, clip)
 *   predicted  q_t = q(x_t, b_t), by the model of rewards
 *   corrected  q_t + w_t (r_t - q_t)
 */

typedef struct sotto__evidence_group {
    double events;
    double weight, product;       /* w, w r */
    double predicted, corrected;  /* 0 without a model */
    double learnt, learnt_reward; /* of events learnt from */
} sotto__evidence_group;

typedef struct sotto__evidence {
    uint32_t arms, dim;
    uint64_t agreed;              /* events on which the method gave the log's arm */
    sotto__evidence_group *group; /* SOTTO__GROUPS of them */
    double *given;                /* arms x dim: sum of the contexts that got this arm */
    uint64_t *given_count;        /* arms: events that got this arm */
} sotto__evidence;

SOTTO_CHECK sotto_status sotto__evidence_new(uint32_t arms, uint32_t dim, sotto__evidence **out);
void sotto__evidence_free(sotto__evidence *evidence); /* accepts NULL */

/* An event, and what the method does. */
typedef struct sotto__event {
    uint64_t row; /* of the file */
    const double *x;
    uint32_t logged, given;    /* arms: a, b */
    double reward, propensity; /* the latter clipped: above 0 */
    bool learnt;
} sotto__event;

/* `model` may be NULL. */
void sotto__evidence_add(sotto__evidence *evidence, const sotto__reward_model *model,
                         const sotto__event *event);
/* Adds the events of another one, of the same log. */
void sotto__evidence_join(sotto__evidence *evidence, const sotto__evidence *other);

/* ---- run ------------------------------------------------------------------------------------ */

/*
 * One method meets the people of a data set: a row is a person, its columns are the context.
 *
 * A classification: the arm that names the person's label earns 1, any other 0; or a table says what
 * each arm earns where a label is right.
 *
 * Per-arm parameters take the row x itself, shared parameters one vector per arm: x (x) e_arm; or
 * where arms have features z, (x (x) z_arm, 1)/sqrt 2. x ends with a constant, so the product has
 * the numbers of z alone. It lacks those of x alone: they would add the same to every arm and
 * change no choice. The 1 changes no choice either, but absorbs the mean reward, which the others
 * would have to explain. The length is sqrt((|x|^2 |z|^2 + 1)/2), at most 1.
 *
 * A log (Li, Chu, Langford and Wang 2011): the method chooses for every event, and learns from those
 * on which it agrees with the log. Where the log's arms were not equally likely, an event is first
 * kept with chance min(1, m/p), so that they are equally likely in what is left; m is the
 * smallest p, but at least the clip. All events count for the estimate by inverse propensity.
 *
 * Methods learn from (r - lo)/(hi - lo), because their constants are for rewards near 1; what is
 * reported is in units of r.
 */

/* What the runs of one replay have in common. */
typedef struct sotto__replay_rules {
    bool log;
    bool shuffle;                  /* each seed plays a block in its own order */
    double propensity_floor, clip; /* of a log: m; and what a smaller propensity counts as */
    const uint64_t *at;            /* checkpoints, increasing, borrowed */
    uint32_t at_count;
    double reward_lo, reward_hi; /* of a log, or of the table of labels: their range, public */
    const double *arm_feature;   /* arms x arm_dim, borrowed; NULL: arms have none */
    uint32_t arm_dim;            /* 0: arms have no features */
    const double *rewards;       /* of labels: labels x arms, borrowed; NULL: 1 for the right one */
    uint64_t people_max; /* at most this many are played: the first in the order of the run */
    uint64_t tail_from;  /* the last people of the first pass come after this many */
    uint64_t tail_until; /* and before this one: later rows were learnt from already */
    const sotto__reward_model *model;           /* of a log, borrowed; NULL: there is none, */
    sotto_replay_unavailable model_unavailable; /* for this reason */
} sotto__replay_rules;

typedef struct sotto__replay_point {
    uint64_t t;                 /* people or events so far */
    double reward;              /* of a classification: of all of them together */
    double best;                /* of a classification: what the best arms would have earned */
    sotto__off_policy replayed; /* of a log: events learnt from, each of weight 1 */
    sotto__off_policy weighted; /* of a log: events on which the method agreed */
} sotto__replay_point;

typedef struct sotto__replay_run {
    const sotto_match *match; /* borrowed */
    const sotto__replay_rules *rules;
    sotto__player *player;
    sotto__seeded coins; /* of its seed: all methods meet people in the same order */
    sotto__replay_point now;
    uint64_t block_from;       /* rows of the file before the block that is played */
    sotto__evidence *evidence; /* of a log: its events so far; otherwise NULL */
    double tail_reward;        /* of the last people of the first pass */
    uint64_t *tail_arm_count;  /* arms: how many of them have this label */
    sotto__replay_point *point;
    uint32_t points_count; /* checkpoints passed; after the end, also where it ended */
} sotto__replay_run;

SOTTO_CHECK sotto_status sotto__replay_run_begin(sotto__replay_run *run, const sotto_match *match,
                                                 uint64_t seed, const sotto__replay_rules *rules);
/* Frees what the run holds; accepts one that is all zeros. */
void sotto__replay_run_free(sotto__replay_run *run);

/* Room for the work of one thread. */
typedef struct sotto__replay_room {
    uint32_t *order; /* rows of a block */
    double *context; /* of shared parameters: arms x dim; without features of arms all zero, except
                        for x in row a at a x d */
} sotto__replay_room;

SOTTO_CHECK sotto_status sotto__replay_room_new(const sotto_spec *spec, uint32_t rows_max,
                                                sotto__replay_room *out);
void sotto__replay_room_free(sotto__replay_room *room);

/* Plays a block, or as much of it as people_max allows. The watch counts every person,
 * and may end the run. */
SOTTO_CHECK sotto_status sotto__replay_run_block(sotto__replay_run *run, const sotto_people *people,
                                                 sotto__replay_room *room,
                                                 const sotto_run_watch *watch);
/* Ends the run: adds a last point, unless the last checkpoint is there. */
void sotto__replay_run_end(sotto__replay_run *run);

/* ---- replay --------------------------------------------------------------------------------- */

/*
 * A data set played by many methods and seeds at once.
 *
 * The file is read in blocks, each played by all runs while the next is read, so memory does not
 * depend on how many rows there are. What a run gives depends on its match, its seed and the file
 * alone: the number of threads changes the time, never the numbers.
 */

typedef struct sotto__replay_settings {
    const sotto_match *match; /* borrowed; see sotto__match_terms_fault */
    uint32_t matches_count;   /* at least 1; all have the same arms and kind of parameters */
    uint32_t seeds_count;     /* 1, 2, ..., this */
    sotto__replay_rules rules;
    uint32_t passes;  /* over the file, at least 1 */
    uint32_t threads; /* that play, 1 to SOTTO_THREADS_MAX; another one reads */
    sotto_replay_known known;
} sotto__replay_settings;

typedef struct sotto__replay {
    sotto__replay_settings settings;
    uint64_t runs_count; /* run r is match r / seeds_count with seed 1 + r % seeds_count */
    sotto__replay_run *run;
    sotto__yardstick *yardstick; /* of the people of all blocks that were read, each once */
    /* For the threads. */
    sotto_people *block[2]; /* one is played, the other filled */
    sotto__replay_room *room;
} sotto__replay;

/* `dim` is that of the data set's contexts. */
SOTTO_CHECK sotto_status sotto__replay_new(const sotto__replay_settings *settings, uint32_t dim,
                                           sotto__replay **out);
void sotto__replay_free(sotto__replay *replay); /* accepts NULL */

/* Plays the data set from its current position. Call it only once. SOTTO_OK, or a fault. */
sotto_status sotto__replay_play(sotto__replay *replay, sotto_dataset *dataset,
                                const sotto_replay_listener *listener, sotto_fault *fault);

/* ---- estimates ------------------------------------------------------------------------------ */

/* What a method would have earned on a log, by five estimators, each with two intervals. */

/* Estimates from the evidence of one run, or of several joined. If `model` is NULL,
 * `model_unavailable` says why. */
SOTTO_CHECK sotto_status sotto__estimates_of(const sotto__evidence *evidence,
                                             const sotto__reward_model *model,
                                             sotto_replay_unavailable model_unavailable,
                                             sotto_replay_estimates *out);

/* The estimates of a match that was played on a log, over all seeds. The intervals of replay and
 * ips are those of its line in the summary. */
SOTTO_CHECK sotto_status sotto__replay_estimates_of(const sotto__replay *replay, uint32_t match,
                                                    const sotto_replay_line *line,
                                                    sotto_replay_estimates *out);

/* ---- verdict -------------------------------------------------------------------------------- */

/* How a method compares with one arm for all. */

#define SOTTO__SEEDS_TELL 5u /* with fewer, 3 standard errors are too often too short */

sotto_span sotto__span_of(const double *number, uint32_t count);

/* `chance` is how far the reward lies above that of random arms. */
sotto_replay_verdict sotto__verdict_on_labels(sotto_span ahead, sotto_span ahead_best_arm,
                                              sotto_span chance);

/* `method` and `logging` are values by inverse propensity. They differ if their
 * intervals do not overlap. */
sotto_replay_verdict sotto__verdict_on_log(sotto_span ahead, sotto_span ahead_best_arm,
                                           sotto_estimate method, sotto_estimate logging);

/* Whether an interval contains the whole range of possible values, and so says nothing. */
bool sotto__says_nothing(double lo, double hi, sotto_span range);

/* ---- finding -------------------------------------------------------------------------------- */

/* What can be learnt from a file at an epsilon, the reason where it cannot, and what to do. */

/* Lines of methods with their leads and shares, and the thresholds for leads. */
typedef struct sotto__leads {
    const sotto_replay_line *line;
    uint32_t count;    /* of methods, each at every epsilon */
    uint32_t explorer; /* which of them explores without privacy */
    uint32_t greedy;   /* and which is greedy without privacy */
    double lead;       /* there is no signal if the explorer cannot be ahead by this, */
    double lead_min;   /* unless a method is certainly ahead by this, which is not more */
} sotto__leads;

/* ---- the parts of it ---------------------------------------------------------------------- */

/* The share r = mean(ahead)/mean(gain) that is won, plus and minus 3 standard errors of ahead - r
 * gain, divided by mean(gain). `gain` is above 0 in the mean; `scratch` has room for `seeds`. */
sotto_replay_share sotto__share_of(const double *ahead, const double *gain, uint32_t seeds,
                                   double *scratch);
/* The standing of a method without privacy, by its share against SOTTO_REPLAY_SHARE. Without a
 * share it wins if it is ahead, and fails if it cannot be ahead by `lead_min`. */
sotto_replay_standing sotto__standing_open(const sotto_replay_line *line, double lead_min);
/* The standing of a private method: it wins if it beats one arm for all, both the best in
 * hindsight and best-arm. */
sotto_replay_standing sotto__standing_private(const sotto_replay_line *line, double lead_min);
bool sotto__is_without_signal(const sotto__leads *leads);
/* `worse`: the best method is worse than one arm for all. */
sotto_replay_reason sotto__reason_of(sotto_replay_standing explorer, sotto_replay_standing greedy,
                                     sotto_replay_standing best, bool worse);

/* ---- all of them -------------------------------------------------------------------------- */

/* Everything but people_needed. */
SOTTO_CHECK sotto_status sotto__findings_of(const sotto__leads *leads, sotto_replay_findings *out);
void sotto__findings_free(sotto_replay_findings *findings);

/* ---- summary -------------------------------------------------------------------------------- */

/* The results of a replay: one line per method and epsilon, and two yardsticks. */

/* majority-arm (by a table: fixed-arm) and random-arm; of a log, logging and fixed-arm */
#define SOTTO__REPLAY_YARDSTICKS 2u

/* The replay must have been played, also by sotto__replay_explorer and sotto__replay_greedy. */
SOTTO_CHECK sotto_status sotto__replay_summary_of(const sotto__replay *replay,
                                                  sotto_replay_summary *out);
void sotto__replay_summary_free(sotto_replay_summary *summary);

/* ---- figure --------------------------------------------------------------------------------- */

/* The figure of a replay: reward against epsilon, one curve per private method, and a level line for
 * what has no epsilon. */

typedef struct sotto__replay_figure {
    sotto__figure figure; /* as sotto__figure_csv and sotto__figure_draw take it */
    char directory[4096]; /* where its files go */
    char title[512];
    /* What the figure borrows. */
    sotto__curve *curve;
    double *number;
} sotto__replay_figure;

/* The figure of a file `data`, to be written as PREFIX.csv and so on; `prefix` is borrowed.
 * `from_data`: ranges came from people's rows, and the title says so. */
SOTTO_CHECK sotto_status sotto__replay_figure_new(const sotto_replay_summary *summary,
                                                  const char *prefix, const char *data,
                                                  bool from_data, sotto__replay_figure **out);
void sotto__replay_figure_free(sotto__replay_figure *figure); /* accepts NULL */

/* ---- learn_rewards -------------------------------------------------------------------------- */

/* Two passes over a log before it is played, for the model of its rewards. */

typedef struct sotto__rewards {
    sotto__reward_model *model;           /* NULL: there is none, */
    sotto_replay_unavailable unavailable; /* for this reason */
} sotto__rewards;

/* Reads a file twice from its first row, where it must stand, to the end or to the block that
 * reaches `people_max` people; then rewinds it. The listener, which may be NULL, gets the bytes of
 * both passes. A file that is not a log has no model. SOTTO_OK, or a fault. */
sotto_status sotto__learn_rewards(const sotto_schema *schema, sotto_dataset *dataset,
                                  uint64_t people_max, const sotto_replay_listener *listener,
                                  sotto__rewards *out, sotto_fault *fault);
void sotto__rewards_free(sotto__rewards *rewards);

/* ---- rows ----------------------------------------------------------------------------------- */

/* The results of a run at its checkpoints. */

/* The row of a point of a run, both counted from 0. */
sotto_replay_row sotto__replay_row_of(const sotto__replay *replay, uint64_t run, uint32_t point);

/* ---- survey --------------------------------------------------------------------------------- */

/* One pass over a file before it is played. */

/* Reads to the end, or to the block that reaches `people_max` people. The listener, which may be
 * NULL, gets the bytes after each block. SOTTO_OK, or a fault; then *out is NULL. */
sotto_status sotto__survey(const sotto_schema *schema, sotto_dataset *dataset, double clip,
                           uint64_t people_max, const sotto_replay_listener *listener,
                           sotto__yardstick **out, sotto_fault *fault);

/* ---- to_play -------------------------------------------------------------------------------- */

/* From the request of a replay to the matches that it plays. */

/* How many people will be played, as far as it is known. `survey` is the result of a pass over the
 * file; NULL: there was none. */
uint64_t sotto__replay_people(const sotto_replay_request *request, const sotto__yardstick *survey);

/* A replay to be played. `settings` borrows the matches, and the checkpoints of the request. */
typedef struct sotto__replay_matches {
    sotto__replay_settings settings;
    sotto_match *match;
    double *rewards,
        *arm_feature; /* copies of the schema's, which the settings borrow; NULL: none */
} sotto__replay_matches;

/* The matches of a file, method by method, each at every epsilon. The request has no fault.
 * SOTTO_E_FAULT: the sentence is "METHOD: " and what cannot be used. Unless it is SOTTO_OK, `out` is
 * empty. */
SOTTO_CHECK sotto_status sotto__replay_matches_of(const sotto_replay_request *request,
                                                  const sotto_schema *schema,
                                                  const sotto__yardstick *survey,
                                                  sotto__replay_matches *out, sotto_fault *fault);
void sotto__replay_matches_free(sotto__replay_matches *matches);

/* The methods without privacy that are always played: one explores, the other is greedy. */
sotto_player sotto__replay_explorer(sotto_link link);
sotto_player sotto__replay_greedy(sotto_link link);

/* Whether a method is private and gives everybody one arm: the yardstick of those with a context. */
bool sotto__replay_is_one_arm(sotto_player player);

/* The epsilon of a match; INFINITY: it is not private. */
double sotto__replay_epsilon(const sotto_match *match);

#endif
