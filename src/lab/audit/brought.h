/* A mechanism that people brought, as a subject. */
#ifndef SOTTO_LAB_AUDIT_BROUGHT_H
#define SOTTO_LAB_AUDIT_BROUGHT_H

#include "subject.h"

/* Makes it, and sets the rest of a subject whose claim is set. SOTTO_OK and a subject->reason if it
 * could not be made. */
SOTTO_CHECK sotto_status sotto__brought_mechanism_new(const sotto_audit_settings *settings,
                                                      sotto__subject *subject);
void sotto__brought_mechanism_free(sotto__brought_mechanism *brought); /* accepts NULL */

#endif
