/* Runs in which a plug-in failed: which, and how, told when all others are played. */
#ifndef SOTTO_CLI_SIMULATE_FAILURES_H
#define SOTTO_CLI_SIMULATE_FAILURES_H

#include "cli/option/option.h"
#include "lab/run/comparison.h"

/* What is known of the failed runs of one match: the first of them, however many threads there are. */
typedef struct simulate_failure {
    uint64_t count;
    uint64_t run;
    char fault[SOTTO_FAULT_BYTES];
} simulate_failure;

typedef struct simulate_failures {
    uint64_t count;
    uint32_t seeds;
    simulate_failure *match; /* one per match */
} simulate_failures;

/* False if there is no memory. */
bool simulate_failures_begin(simulate_failures *failures, const sotto__comparison *comparison);
void simulate_failures_free(simulate_failures *failures);
void simulate_failures_take(simulate_failures *failures, uint64_t run, const char *fault);

/* One sentence per match that failed. */
void simulate_failures_tell(const simulate_failures *failures, const command_line *line,
                            const sotto__comparison *comparison);

#endif
