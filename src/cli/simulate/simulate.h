/* What the parts of `sotto simulate` share: the sweep asked for, and what its runs gave. */
#ifndef SOTTO_CLI_SIMULATE_SIMULATE_H
#define SOTTO_CLI_SIMULATE_SIMULATE_H

#include <sotto/lab.h>

/* The runs to play. `sweep` borrows the arrays. */
typedef struct simulate_plan {
    sotto_sweep sweep;
    sotto_match *match;
    double *epsilon; /* of each match, as it was asked for */
    uint64_t *at;
    struct sotto__loan *loan;           /* of environment loan; otherwise NULL */
    const sotto_population *population; /* its customers */
} simulate_plan;

void simulate_plan_free(simulate_plan *plan);

static inline const sotto_match *simulate_match(const simulate_plan *plan, uint64_t run)
{
    return &plan->match[run / plan->sweep.seeds_count];
}

/* What is known of one run. */
typedef struct simulate_run {
    bool done;
    bool played; /* in this sweep; otherwise it comes from the resume file, without its result */
    sotto_run_result result;
} simulate_run;

/* All runs of a plan, and their points: those of run r start at point[r x at_count]. */
typedef struct simulate_results {
    simulate_run *run;
    sotto_point *point;
    uint64_t done_count;
} simulate_results;

/* False, with nothing taken, if there is no memory. */
bool simulate_results_new(const simulate_plan *plan, simulate_results *out);
void simulate_results_free(simulate_results *results);

static inline sotto_point *simulate_points(const simulate_plan *plan,
                                           const simulate_results *results, uint64_t run)
{
    return results->point + run * plan->sweep.at_count;
}

#endif
