/* What other rooms may use of this one. */
#ifndef SOTTO_THREADS_ROOM_H
#define SOTTO_THREADS_ROOM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The number of cores that this process may run on, from 1 to `most`: all cores of the machine,
 * unless the process is bound to some. */
uint32_t cores_count(uint32_t most);

/* ---- workers -------------------------------------------------------------------------------- */

/* Threads that wait for work. One lock protects what they share with the caller. */

/* Worker i calls this with the lock held. The function may release the lock, but must hold it when
 * it returns. It returns false if there is nothing to do for this worker now. */
typedef bool workers_work(void *state, uint32_t i);

typedef struct workers {
    pthread_mutex_t lock;
    pthread_cond_t begun; /* the caller signals it, with the lock held, when there is work */
    pthread_cond_t done;  /* for workers to signal; timed waits use the steady clock */
    uint32_t count;       /* how many were started */
    workers_work *work;
    void *state;
    struct worker *worker;
    bool closing; /* protected by the lock */
} workers;

/* Starts `count` threads, or fewer if the system does not allow more: out->count says how many. The
 * threads block signals, so that the caller's threads get them. False, with nothing to close, if
 * there is no memory. */
bool workers_open(workers *out, uint32_t count, workers_work *work, void *state);
/* Ends the threads and waits for them. */
void workers_close(workers *self);

/* The time `ms` milliseconds from now by the steady clock, for a timed wait. */
struct timespec steady_after_ms(uint32_t ms);

#endif
