/* Our runs of calibration published beside those of the authors' own code. */
#ifndef SOTTO_LAB_PAPER_AGREEMENT_H
#define SOTTO_LAB_PAPER_AGREEMENT_H

#include "section.h"

/* One line per method and setting, and a check where there are enough seeds to tell. False if
 * there is no memory. */
bool sotto__agreement_fill(sotto__section *section);

#endif
