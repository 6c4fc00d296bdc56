/* Layer 1: one law for each family of answers. */
#ifndef SOTTO_LAB_AUDIT_LAW_ROWS_H
#define SOTTO_LAB_AUDIT_LAW_ROWS_H

#include "law.h"

SOTTO_CHECK sotto_status sotto__law_lattice(const sotto__claim *claim, const double *x,
                                            uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_codebook(const sotto__claim *claim, const double *x,
                                             uint64_t trials, sotto__law **out);
SOTTO_CHECK sotto_status sotto__law_vector(const sotto__claim *claim, const double *x,
                                           uint64_t trials, sotto__law **out);

#endif
