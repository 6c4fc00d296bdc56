/*
 * Estimators: from the sums of an epoch to the next model.
 *
 * An estimator sees sums of what reports carry, never a report; t counts reports. All of them write
 * their estimate into the model that is published.
 */
#ifndef SOTTO_ESTIMATOR_H
#define SOTTO_ESTIMATOR_H

#include "side.h"

#include <sotto/server.h>

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

#endif
