/* The library's mechanisms as subjects, for tests of the audit's parts. */
#ifndef SOTTO_SUBJECTS_H
#define SOTTO_SUBJECTS_H

#include "lab/audit/inner.h"

/* Radius 1, delta 1e-6 for gaussian. */
sotto__subject subject_of(sotto_mechanism_kind kind, uint32_t dim, double epsilon);

/* Asks the subject `trials` times with the input x. */
void ask_again_and_again(sotto__subject *subject, const double *x, uint64_t trials, uint64_t seed,
                         sotto__taker *taker);

/* The row of this name; fails the test if there is none. */
const sotto_audit_row *row_named(const sotto_audit_result *result, const char *name);
uint32_t failed_rows(const sotto_audit_result *result);

/* Layer 1 finds nothing in 4,000 answers of the mechanism, in 1 dimension and in 3. */
void assert_follows_its_law(sotto_mechanism_kind kind);

#endif
