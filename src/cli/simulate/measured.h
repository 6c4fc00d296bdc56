/* Prints what measure rounds say, beside the truth. */
#ifndef SOTTO_CLI_SIMULATE_MEASURED_H
#define SOTTO_CLI_SIMULATE_MEASURED_H

#include "cli/print/rows.h"
#include "lab/run/measured.h"

/* Table: of each method and epsilon the first run, and what the others have in common with it. CSV and
 * JSON: every run. Prints nothing where no match has measure rounds. */
void simulate_measured_print(FILE *file, print_format format, const sotto__comparison *comparison,
                             const sotto__results *results);

#endif
