/* What a comparison found at its last round, one line per match. */
#ifndef SOTTO_LAB_RUN_SUMMARY_H
#define SOTTO_LAB_RUN_SUMMARY_H

#include "results.h"

#include <sotto/lab/comparison.h>

/* One line per match into `out`. SOTTO_E_MEMORY if there is none to sort in. */
SOTTO_CHECK sotto_status sotto__summary_of(const sotto__comparison *comparison,
                                           const sotto__results *results,
                                           sotto_comparison_line *out);

#endif
