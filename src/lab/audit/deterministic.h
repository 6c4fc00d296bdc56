/* Layer 0: the same coins for different secrets. */
#ifndef SOTTO_LAB_AUDIT_DETERMINISTIC_H
#define SOTTO_LAB_AUDIT_DETERMINISTIC_H

#include "subject.h"

SOTTO_CHECK sotto_status sotto__audit_deterministic(sotto__subject *subject, uint64_t seed,
                                                    sotto_audit_result *result);

#endif
