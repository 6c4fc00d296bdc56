/* Layer 0: measure rounds, coin by coin. */
#ifndef SOTTO_LAB_AUDIT_MEASURED_H
#define SOTTO_LAB_AUDIT_MEASURED_H

#include "subject.h"

/* Adds no row for mechanisms whose methods have no measure rounds. */
SOTTO_CHECK sotto_status sotto__audit_measured(sotto__subject *subject, uint64_t seed,
                                               sotto_audit_result *result);

#endif
