/* A mechanism that people brought, as a subject. */
#ifndef SOTTO_LAB_AUDIT_BROUGHT_H
#define SOTTO_LAB_AUDIT_BROUGHT_H

#include "subject.h"

/* Makes it, and the subject. SOTTO_OK and a subject->reason if it could not be made. */
SOTTO_CHECK sotto_status sotto__brought_mechanism_new(const sotto_audit_settings *settings,
                                                      sotto__subject *subject);

#endif
