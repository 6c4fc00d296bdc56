/* What other rooms may use of this one. */
#ifndef SOTTO_THREADS_ROOM_H
#define SOTTO_THREADS_ROOM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The cores that this process may run on: all of the machine, unless it is bound to some. 1 to `most`. */
uint32_t cores_count(uint32_t most);

/* ---- workers -------------------------------------------------------------------------------- */

/* Threads that wait for work. What they share with the caller is under one lock. */

/* Called by worker i with the lock held, which it may release meanwhile, and holds again when it returns. False: there
 * is nothing to do for it now. */
typedef bool workers_work(void *state, uint32_t i);

typedef struct workers {
    pthread_mutex_t lock;
    pthread_cond_t begun; /* the caller signals it, under the lock, when there is work */
    pthread_cond_t done;  /* for workers to signal; timed waits are by the steady clock */
    uint32_t count;       /* that were started */
    workers_work *work;
    void *state;
    struct worker *worker;
    bool closing; /* under the lock */
} workers;

/* Starts so many threads; fewer, where the system gives no more: `count` says how many. Signals are for the threads of
 * the caller. False, with nothing to close: no memory. */
bool workers_open(workers *out, uint32_t count, workers_work *work, void *state);
/* Waits until all have ended. */
void workers_close(workers *self);

/* The steady time in so many milliseconds, for a timed wait. */
struct timespec steady_after_ms(uint32_t ms);

#endif
