/* Sums of ldp-gloc reports. */
#ifndef SOTTO_ESTIMATOR_GLOC_H
#define SOTTO_ESTIMATOR_GLOC_H

#include "side.h"

#include <sotto/core.h>

/* out += M theta_h, block by block, with M the released x x' of a sum of ldp-gloc reports (laid out
 * as batch->sum); theta_h and out have P numbers. */
void sotto__gloc_predicted(const sotto_terms *terms, const double *sum, const double *theta_h,
                           double *out);

#endif
