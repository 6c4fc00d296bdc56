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

#include <sotto/lab/comparisons.h>

/* One line per match into `out`. SOTTO_E_MEMORY if there is none to sort in. */
SOTTO_CHECK sotto_status sotto__summary_of(const sotto__comparison *comparison,
                                           const sotto__results *results,
                                           sotto_comparison_line *out);

#endif
