/* A sweep whose runs are played in processes of their own, so that what people brought cannot take the
 * other runs with it when it crashes, exits or never ends. */
#ifndef SOTTO_LAB_RUN_APART_H
#define SOTTO_LAB_RUN_APART_H

#include <sotto/lab.h>

/* As sotto_sweep_run, and with the same numbers: every run in a child process, `threads` of them at a
 * time. A child that ends without a result is told by listener->failed, which has to be there. What a
 * child prints goes to stderr. When the sweep ends early its children are killed. To be called while
 * the process has one thread. */
SOTTO_CHECK sotto_status sotto__sweep_apart(const sotto_sweep *sweep,
                                            const sotto_sweep_listener *listener);

#endif
