/* What a sweep found at its last round, a line for each method and epsilon. */
#ifndef SOTTO_CLI_SIMULATE_SUMMARY_H
#define SOTTO_CLI_SIMULATE_SUMMARY_H

#include "simulate.h"

#include <stdio.h>

typedef enum summary_format { SUMMARY_TABLE, SUMMARY_CSV, SUMMARY_JSON } summary_format;

/* False if there is no memory to sort in. */
bool simulate_summary_print(FILE *file, const simulate_plan *plan, const simulate_results *results,
                            summary_format format);

#endif
