/* Layer 1: the law of a claim, by its family. */
#ifndef SOTTO_LAB_AUDIT_LAW_TABLE_H
#define SOTTO_LAB_AUDIT_LAW_TABLE_H

#include "law.h"

/* The one of the claim's family. */
SOTTO_CHECK sotto_status sotto__law_new(const sotto__claim *claim, const double *x, uint64_t trials,
                                        sotto__law **out);

#endif
