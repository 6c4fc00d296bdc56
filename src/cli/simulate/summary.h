/* Prints what a comparison found. */
#ifndef SOTTO_CLI_SIMULATE_SUMMARY_H
#define SOTTO_CLI_SIMULATE_SUMMARY_H

#include "cli/print/rows.h"
#include "lab/run/summary.h"

SOTTO_CHECK sotto_status simulate_summary_print(FILE *file, print_format format,
                                                const sotto__comparison *comparison,
                                                const sotto__results *results);

#endif
