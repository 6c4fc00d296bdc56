/* Puts a script to a subject. */
#ifndef SOTTO_LAB_AUDIT_ASK_H
#define SOTTO_LAB_AUDIT_ASK_H

#include "script.h"

/* Puts the whole script to the subject: by draw, or to its program. One that misbehaves is left
 * with a subject->reason; the status is that of the audit alone. */
SOTTO_CHECK sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script,
                                    sotto_rng *rng, sotto__taker *taker);

#endif
