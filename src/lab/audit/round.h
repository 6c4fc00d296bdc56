/* Layer 0: whole rounds, with the same coins for different secrets. */
#ifndef SOTTO_LAB_AUDIT_ROUND_H
#define SOTTO_LAB_AUDIT_ROUND_H

#include "subject.h"

SOTTO_CHECK sotto_status sotto__audit_rounds(sotto__subject *subject, uint64_t seed,
                                             sotto_audit_result *result);

#endif
