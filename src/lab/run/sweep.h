/* What every way to run a sweep has to refuse. */
#ifndef SOTTO_LAB_RUN_SWEEP_H
#define SOTTO_LAB_RUN_SWEEP_H

#include <sotto/lab.h>

/* SOTTO_OK if the sweep can be run, and told to the listener. */
SOTTO_CHECK sotto_status sotto__sweep_check(const sotto_sweep *sweep,
                                            const sotto_sweep_listener *listener);

#endif
