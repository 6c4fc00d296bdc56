/* The auto-loan study in `sotto simulate`: it has its own shape, customers, and a revenue. */
#ifndef SOTTO_CLI_SIMULATE_LOAN_H
#define SOTTO_CLI_SIMULATE_LOAN_H

#include "simulate.h"

/* Its dim, arms and link. */
sotto_scene simulate_loan_shape(void);

/* The study, told of on stderr unless quiet. False, with a sentence on stderr, if there is none. */
bool simulate_loan_open(bool quiet, simulate_plan *plan);
void simulate_loan_close(simulate_plan *plan);

#endif
