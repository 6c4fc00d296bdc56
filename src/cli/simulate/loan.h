/* The auto-loan study in `sotto simulate`: it has its own shape, customers, and a revenue. */
#ifndef SOTTO_CLI_SIMULATE_LOAN_H
#define SOTTO_CLI_SIMULATE_LOAN_H

#include "options.h"

/* Fills dim, arms and link where they were not given. */
void simulate_loan_shape(simulate_options *s, const args_option *options);

/* The study, told of on stderr unless quiet. False, with a sentence on stderr, if there is none. */
bool simulate_loan_open(bool quiet, simulate_plan *plan);
void simulate_loan_close(simulate_plan *plan);

#endif
