/*
 * Public functions compute in the default floating-point environment, whatever the caller's is:
 * rounding to nearest, denormal numbers kept, nothing trapped. Privacy rests on it: rounding any
 * other way moves two statistics twice as far apart as the noise was scaled for.
 *
 *     double sotto_public(double x)
 *     {
 *         SOTTO__DEFAULT_FLOATS;
 *         return SOTTO__UNSEEN(compute)(x);
 *     }
 *
 * tests/boundary sees that every public function does so, or is on a list of those that compute
 * nothing.
 */
#ifndef SOTTO_FLOAT_ENVIRONMENT_H
#define SOTTO_FLOAT_ENVIRONMENT_H

#include "ieee.h"

#include <fenv.h>

/* The caller's environment: rounding, flushing, traps, flags. Now the default one is set. */
fenv_t sotto__floats_enter(void);
/* Sets it again; what was computed in between leaves no flag. */
void sotto__floats_leave(const fenv_t *callers);

/* The first line of a public function: from here to every return, the default environment. */
#define SOTTO__DEFAULT_FLOATS                                                                      \
    fenv_t callers_floats __attribute__((cleanup(sotto__floats_leave), unused)) =                  \
        sotto__floats_enter()

/* The function, through a pointer that no compiler can see through. To a compiler arithmetic does
 * not depend on the environment: it may move a sum, or a call of a function that it knows to be
 * one, across the calls that set it. It may not move a call of what it does not know. */
#define SOTTO__UNSEEN(function) ((__typeof__(&function) volatile){function})

#endif
