/* What the runs of a comparison gave. */
#ifndef SOTTO_LAB_RUN_RESULTS_H
#define SOTTO_LAB_RUN_RESULTS_H

#include "comparison.h"

/* What is known of one run. */
typedef struct sotto__run_record {
    bool done;
    bool played; /* in this sweep; otherwise it comes from a resume file, without its result */
    uint64_t learn_reports, null_reports; /* as in sotto_run_result */
    double seconds;                       /* likewise */
    uint64_t repairs;                     /* likewise */
    sotto_run_delay delay;                /* likewise */
} sotto__run_record;

typedef struct sotto__results {
    uint32_t at_count; /* points of each run */
    sotto__run_record *run;
    sotto_point *point;              /* those of run r start at point[r x at_count] */
    sotto_run_measurement *measured; /* one per run; NULL: no match has measure rounds */
    uint64_t done_count;
} sotto__results;

/* Of a comparison whose sweep is filled. On failure `out` is empty. */
SOTTO_CHECK sotto_status sotto__results_new(const sotto__comparison *comparison,
                                            sotto__results *out);
void sotto__results_free(sotto__results *results);

static inline sotto_point *sotto__results_points(const sotto__results *results, uint64_t run)
{
    return results->point + run * results->at_count;
}

/* A run that was played now. */
void sotto__results_take(sotto__results *results, uint64_t run, const sotto_point *point,
                         const sotto_run_result *result);

#endif
