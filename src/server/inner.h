/* What files of this room share. */
#ifndef SOTTO_SERVER_INNER_H
#define SOTTO_SERVER_INNER_H

#include "core/core.h"
#include "server.h"
#include "side.h"

#include <sotto/core.h>
#include <sotto/server.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- best_chance ---------------------------------------------------------------------------- */

/* The chance of each of several independent normal values to be the largest. */

typedef struct sotto__best_chance sotto__best_chance;

SOTTO_CHECK sotto_status sotto__best_chance_new(uint32_t arms, sotto__best_chance **out);
void sotto__best_chance_free(sotto__best_chance *best); /* accepts NULL */

/* chance_k = P(value_k is the largest), value_k ~ N(mean_k, sd_k^2), sd_k > 0; they add up to 1. Made of
 * only + - * / and sqrt: the same bits on every machine. */
void sotto__best_chances(sotto__best_chance *best, const double *mean, const double *sd,
                         double *chance);

/* ---- damped_precision ----------------------------------------------------------------------- */

/* The precision 1/P of per-arm scores `self`, which grows ever more slowly. */

typedef struct sotto__damping {
    double first;    /* 1/P_0 */
    double range;    /* R */
    double added;    /* what a report adds to 1/P_0 */
    uint64_t window; /* W; 0: all reports are remembered */
} sotto__damping;

/* 1/P after so many reports more; 1/P itself if there are none. Up to SOTTO__LOOP_REPORTS_MAX of them are
 * gone through one by one. */
double sotto__run_damped(const sotto__damping *damping, uint64_t reports, double precision);

/* ---- estimator_rows ------------------------------------------------------------------------- */

/* The rows of the table of estimators. */

sotto__estimator_maker sotto__least_squares_new; /* ldp-ols, ldp-ucb, sotto-ols */
sotto__estimator_maker sotto__sgd_new;           /* ldp-sgd */
sotto__estimator_maker sotto__gloc_new;          /* ldp-gloc */
sotto__estimator_maker sotto__averaged_new; /* sotto, shared, sign, huber, or self below dim 5 */
sotto__estimator_maker sotto__tracked_new;  /* sotto, per-arm, or self from dim 5 on */
sotto__estimator_maker sotto__best_arm_new; /* best-arm */

/* ---- kept ----------------------------------------------------------------------------------- */

/* What an estimator keeps from batch to batch, as bytes. */

/* How many bytes: 8 for each number or count. */
size_t sotto__kept_bytes(const sotto__estimator *estimator);

void sotto__kept_put(const sotto__estimator *estimator, uint8_t *out);
/* Takes any bytes; sotto__kept_fault says whether they can be. */
void sotto__kept_get(sotto__estimator *estimator, const uint8_t *bytes);

/* SOTTO_OK, or SOTTO_E_FAULT and the first number that cannot be after so many reports. */
SOTTO_CHECK sotto_status sotto__kept_fault(const sotto__estimator *estimator, uint64_t reports,
                                           sotto_fault *fault);

/* ---- learner_fault -------------------------------------------------------------------------- */

/* States that no learner can have, however long it has learnt. */

/* SOTTO_OK, or SOTTO_E_FAULT and the first part that contradicts another or is out of its range. Takes the
 * tallies and the numbers of the model as valid: they have codecs of their own. */
SOTTO_CHECK sotto_status sotto__learner_fault(const sotto_learner *learner, sotto_fault *fault);

/* ---- learner_parts -------------------------------------------------------------------------- */

/* The parts of a learner in the order of its bytes. */

/* Measured pairs: follow, recent follow, recent control, and control of each arm. */
static inline uint32_t sotto__learner_pairs(const sotto_learner *learner)
{
    return learner->terms.spec.measure > 0 ? 3 + learner->terms.spec.arms : 0;
}

static inline sotto__measured *sotto__learner_pair(const sotto_learner *learner, uint32_t i)
{
    sotto__measures *measures = (sotto__measures *)&learner->measures;
    sotto__measured *const first[] = {&measures->follow, &measures->recent_follow,
                                      &measures->recent_control};
    return i < 3 ? first[i] : &measures->control_arm[i - 3];
}

/* How many epochs before the current one are open. */
static inline uint32_t sotto__learner_late(const sotto_learner *learner)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    return current < lag ? current : lag;
}

/* The open epoch of so many before the current one. */
static inline sotto__open_epoch *sotto__learner_open(const sotto_learner *learner, uint32_t back)
{
    return &learner->open[(learner->model->epoch - back) % learner->open_count];
}

/* Numbers of an open epoch's theta_h. */
static inline uint32_t sotto__learner_online(const sotto_learner *learner)
{
    const sotto_spec *spec = &learner->terms.spec;
    return learner->model->theta_h != NULL ? sotto__parameter_count(spec) : 0;
}

/* ---- shifted_solve -------------------------------------------------------------------------- */

/*
 * Least squares on noisy moments: theta = (V + c I)^-1 b, block by block.
 *
 * V is a sum of released x x', and its noise may leave it without a Cholesky factor; the shift c
 * makes it positive definite in all but a few cases, and in those it is doubled. There is one block
 * for shared parameters, and one per arm for per-arm.
 */

typedef struct sotto__shifted {
    const sotto_spec *spec; /* borrowed */
    uint32_t blocks;
    double *gram;     /* V of each block: packed lower triangles */
    double *cross;    /* b: blocks x dim */
    double *summands; /* how many reports' noise is in each block, 0 before its first */
    double *shift;    /* c of the last solution of each block; infinity where there is none */
    double all;       /* t of the formulas: how many reports have come, less what is forgotten */
    double *factor;   /* scratch: one packed triangle */
    double *vector;   /* scratch: dim */
    /* Scratch of several blocks, which are solved four at a time; NULL for one. */
    sotto__lanes *lane_factor, *lane_vector, *lane_inverse;
} sotto__shifted;

/* How many doubles the arrays need, and putting them into that many zeros. */
size_t sotto__shifted_doubles(const sotto_spec *spec);
void sotto__shifted_begin(sotto__shifted *shifted, const sotto_spec *spec, double *zeros);

/* What is kept from batch to batch: all but the scratch. Returns how many entries. */
uint32_t sotto__shifted_kept(sotto__shifted *shifted, sotto__kept kept[SOTTO__KEPT_MAX]);

/* What an off-diagonal entry of a released svec is multiplied by to be one of x x'. */
double sotto__off_diagonal(const sotto_spec *spec);

/* The vector part of a block of batch->sum, after its svec. */
const double *sotto__vector_part(const sotto_spec *spec, const double *sum, uint32_t block);

/* Forgets what drift has made old, then adds a batch: unit x its matrices to V, and its reports
 * to the noise. The caller adds to b, afterwards. */
void sotto__shifted_add(sotto__shifted *shifted, const sotto__batch *batch, double unit);

/* upsilon = sigma sqrt(t) (4 sqrt d + 2 ln(2 odds)), odds = T/alpha, with t = shifted->all. */
double sotto__upsilon(const sotto__shifted *shifted, double sigma, double odds);

/* Solves every block that has reports, with this shift or more, into model->theta (times `unit`)
 * and, where there is one, model->factor. A block whose numbers are not finite keeps what the model
 * has. Returns how often a shift was doubled. */
uint64_t sotto__shifted_solve(sotto__shifted *shifted, double shift, double unit,
                              sotto_model *model);

/* tr((V + c I)^-2) of a block that has a solution, c its shift; infinity if rounding leaves it
 * without a factor. Uses the scratch. */
double sotto__shifted_trace(const sotto__shifted *shifted, uint32_t block);

/* ---- step_sum ------------------------------------------------------------------------------- */

/* The sum of the steps of an epoch's reports, without a loop over the reports. */

/* Up to so many reports an estimator goes through them one by one; above it takes closed forms,
 * which agree within rounding. Both are bounded, so that the cost of publishing depends on the
 * number of parameters and not on that of reports. */
#define SOTTO__LOOP_REPORTS_MAX 4096

/* Times, one per report: first, first + stride, ..., count of them; stride > 0. Each counts as
 * lo where it is below, lo > 0, and as hi where it is above, hi >= lo, maybe INFINITY. */
typedef struct sotto__step_times {
    double first;
    double stride;
    uint64_t count;
    double lo;
    double hi;
} sotto__step_times;

/* The sum of 1/s (SOTTO_STEP_INVERSE) or 1/sqrt s (SOTTO_STEP_SQRT) over the times s. */
double sotto__step_sum(sotto_step step, const sotto__step_times *times);

/* prod of 1 - 4/(t + 3) over t = min(u, W), u = before + 1, ..., before + count; W = 0: t = u. */
double sotto__average_kept(uint64_t before, uint64_t count, uint64_t window);

/* ---- watch_chance --------------------------------------------------------------------------- */

/* Chances of the watch: each is at least the true one, for any number of reports (docs/guarantees.md). */

/* P(X >= x) of X ~ Bin(n, chance), x at most n. */
double sotto__chance_above(uint64_t x, uint64_t n, double chance);
/* Twice the smaller of P(X >= x) and P(X <= x), at most 1. */
double sotto__chance_two_sided(uint64_t x, uint64_t n, double chance);

/* n D(counts/n || uniform) = sum c ln(c cells/n), of every `stride`-th count from the first on: cells of
 * them. 0 if all are 0. Adds n to *total. */
double sotto__entropy_of(const uint64_t *count, uint32_t cells, uint32_t stride, uint64_t *total);
/* The chance that such numbers add up to x or more: `freedom` is the sum of cells - 1 over them. */
double sotto__entropy_chance(double x, double freedom);

/* t^2 with P(|U_1| > t) = chance, U uniform on the unit sphere of R^dim, dim at least 2. */
double sotto__tail_square(uint32_t dim, double chance);

#endif
