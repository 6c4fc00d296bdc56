/* Regret at the last round: every method, what it promises, and the paper's claim. */
#ifndef SOTTO_LAB_PAPER_REGRETS_H
#define SOTTO_LAB_PAPER_REGRETS_H

#include "section.h"

/* False if there is no memory. */
bool sotto__regrets_fill(sotto__section *section);

#endif
