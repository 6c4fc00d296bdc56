/* How regret grows with T and with 1/epsilon, beside theory. */
#ifndef SOTTO_LAB_PAPER_RATES_H
#define SOTTO_LAB_PAPER_RATES_H

#include "section.h"

/* What follows returns false if there is no memory. A stage that is not played has no table. */

/* The exponent of epsilon of every method, fitted up to epsilon 1. */
bool sotto__epsilons_fill(sotto__section *section);

/* The exponent of T of every method. */
bool sotto__growth_fill(sotto__section *section);

/* Regret over the lower bound; a check for each private method that it is not below what is proved. */
bool sotto__bound_fill(sotto__section *section);

/* What no epsilon-LDP method can stay below, as a ratio to sqrt(T d)/(e^epsilon - 1). */
double sotto__least_ratio(uint32_t dim, double epsilon);

#endif
