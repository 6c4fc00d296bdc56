/* The table of estimators: which one a method has. */
#ifndef SOTTO_ESTIMATOR_TABLE_H
#define SOTTO_ESTIMATOR_TABLE_H

#include "estimator.h"

/* The estimator of the spec's method, from the table. *out is NULL unless SOTTO_OK. */
SOTTO_CHECK sotto_status sotto__estimator_new(const sotto_terms *terms,
                                              const sotto_learning *learning,
                                              sotto__estimator **out);

#endif
