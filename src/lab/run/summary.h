/*
 * What a comparison found at its last round, one line per match.
 *
 * A method without privacy has no epsilon: it plays the same runs at each, so that the first line
 * tells all, and the others are marked. Only where its runs differ, because the world itself depends
 * on epsilon (environment gaussian), each line keeps the epsilon of its world.
 */
#ifndef SOTTO_LAB_RUN_SUMMARY_H
#define SOTTO_LAB_RUN_SUMMARY_H

#include "results.h"

/* NAN for a number that does not exist. */
typedef struct sotto__summary_line {
    const char *method;
    double epsilon; /* INFINITY: not private */
    bool repeated;  /* the same as an earlier line, of a method without privacy */
    uint32_t seeds; /* runs that are finished */
    uint64_t t;     /* the last round */
    double regret_mean, regret_se, regret_median, regret_p10, regret_p90;
    double error_mean; /* of the estimate */
    double cost;       /* regret over that of the same learning without privacy */
    double rounds_per_second;
    uint64_t repairs; /* see sotto_learner_repairs */
} sotto__summary_line;

/* One line per match into `out`. SOTTO_E_MEMORY if there is none to sort in. */
SOTTO_CHECK sotto_status sotto__summary_of(const sotto__comparison *comparison,
                                           const sotto__results *results, sotto__summary_line *out);

#endif
