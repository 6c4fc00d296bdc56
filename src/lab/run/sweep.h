/* Whether a sweep can be played. */
#ifndef SOTTO_LAB_RUN_SWEEP_H
#define SOTTO_LAB_RUN_SWEEP_H

#include <sotto/lab/runs.h>

/* SOTTO_E_ARGUMENT or SOTTO_E_FAULT, as sotto_sweep_run says it; matches are looked at one by one
 * when they are played. */
SOTTO_CHECK sotto_status sotto__sweep_check(const sotto_sweep *sweep);

#endif
