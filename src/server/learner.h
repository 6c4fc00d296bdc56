/* What a learner is made of. */
#ifndef SOTTO_LEARNER_H
#define SOTTO_LEARNER_H

#include "estimator.h"
#include "mean.h"
#include "measure.h"
#include "tally.h"

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

/* How many reports the current epoch should have, by the model and the phases so far. */
uint64_t sotto__learner_wants(const sotto_learner *learner);

/* The reports of any phase after which the current one ends; 0: it does not. */
uint64_t sotto__learner_phase_end(const sotto_learner *learner);

/* What measure rounds will add up to after the next publish; `out` has room for the arms. */
void sotto__learner_next_measures(const sotto_learner *learner, sotto__measures *out);

/* Takes frames up to the first that is refused; how many that were. */
size_t sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames, size_t count);
/* Takes frames out again that were all taken since the last publish: to the bit as if they had not come. */
void sotto__learner_untake(sotto_learner *learner, const uint8_t *frames, size_t count);

/* The open epoch of a number; NULL if it is not open. */
sotto__open_epoch *sotto__learner_epoch(sotto_learner *learner, uint32_t epoch);

#endif
