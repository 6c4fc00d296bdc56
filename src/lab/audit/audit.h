/*
 * The audit of a subject. A subject answers inputs and claims to be private; the audit draws from
 * it, compares with the claim, and adds a row to the result for every comparison.
 *
 *   layer 0   deterministic.c, round.c   the same coins for different secrets
 *   layer 1   law.c and its families     the law of the noise
 *   layer 2   gaussian.c                 what accuracy says of a Gaussian mechanism
 *   layer 3   event.c, sure.c            what chances say of any mechanism
 */
#ifndef SOTTO_LAB_AUDIT_AUDIT_H
#define SOTTO_LAB_AUDIT_AUDIT_H

#include "subject.h"

/* The audit itself, of any subject. `rng` gives the audit's coins and the subject's. */
SOTTO_CHECK sotto_status sotto__audit_subject(const sotto_audit_settings *settings,
                                              sotto__subject *subject, sotto_rng *rng,
                                              const sotto_audit_progress *progress,
                                              sotto_audit_result *result);

#endif
