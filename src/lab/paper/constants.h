/* The constants of the environments, and what theory makes of them. */
#ifndef SOTTO_LAB_PAPER_CONSTANTS_H
#define SOTTO_LAB_PAPER_CONSTANTS_H

#include "section.h"

/* Of every environment that an experiment plays, except those of the agreement, which are there
 * already. False if there is no memory. */
bool sotto__constants_fill(sotto__section *section);

#endif
