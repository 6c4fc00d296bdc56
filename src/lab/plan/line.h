/* What is lost on a line (d = 1), where only signs can be wrong. */
#ifndef SOTTO_LAB_PLAN_LINE_H
#define SOTTO_LAB_PLAN_LINE_H

#include <stdint.h>

/* Of what a random arm loses, the part that is lost by estimates z standard deviations from 0: 1 at z = 0,
 * falling to 0. One parameter for all arms, or one for each of so many; the latter to 1e-6. */
double sotto__line_part(double z);
double sotto__line_part_of_arms(double z, uint32_t arms);

#endif
