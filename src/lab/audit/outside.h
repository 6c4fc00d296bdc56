/* Puts a script to a program outside. */
#ifndef SOTTO_LAB_AUDIT_OUTSIDE_H
#define SOTTO_LAB_AUDIT_OUTSIDE_H

#include "script.h"

/* As sotto__ask, for a subject without a draw function. */
SOTTO_CHECK sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                            sotto__taker *taker);

#endif
