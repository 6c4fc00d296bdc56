/* A comparison: matches that are played over the same seeds, and where they are looked at. */
#ifndef SOTTO_LAB_RUN_COMPARISON_H
#define SOTTO_LAB_RUN_COMPARISON_H

#include <sotto/lab/runs.h>

typedef struct sotto__comparison {
    sotto_sweep sweep; /* borrows the arrays */
    sotto_match *match;
    double *epsilon; /* of each match, as it was asked for */
    uint64_t *at;    /* room for SOTTO_POINTS_MAX check-points */
} sotto__comparison;

/* Room for so many matches, at least 1. On failure `out` is empty. */
SOTTO_CHECK sotto_status sotto__comparison_new(uint32_t matches_max, sotto__comparison *out);
void sotto__comparison_free(sotto__comparison *comparison);

/* The match that a run of the sweep plays. */
static inline const sotto_match *sotto__comparison_match(const sotto__comparison *comparison,
                                                         uint64_t run)
{
    return &comparison->match[run / comparison->sweep.seeds_count];
}

/* The usual check-points: 1, 2, 5, 10, ... below the horizon, into `at`; returns how many. */
uint32_t sotto__usual_points(uint64_t horizon, uint64_t *at);

#endif
