/* The first section: every figure of the paper in one table. */
#ifndef SOTTO_LAB_PAPER_GLANCE_H
#define SOTTO_LAB_PAPER_GLANCE_H

#include "section.h"

/* It comes first, if all are played. */
extern const sotto__experiment sotto__glance;

/* Mean regrets at the last round: the paper's best, ours, without privacy, and of random arms. False
 * if there is no memory. */
bool sotto__glance_fill(sotto__section *section);

#endif
