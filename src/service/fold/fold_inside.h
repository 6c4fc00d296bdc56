/* What a pool is made of. */
#ifndef SERVICE_FOLD_INSIDE_H
#define SERVICE_FOLD_INSIDE_H

#include "fold.h"
#include "server/portion.h"

#include <pthread.h>

#define FOLD_THREADS_MAX 256u

/* The frames of one call. The caller takes them from the front, into the learner itself; helpers take them
 * from the back, each into a portion of its own. */
typedef struct fold_job {
    const uint8_t *frames;
    size_t frame_bytes;
    size_t chunk;            /* frames that are taken at a time */
    size_t front, back;      /* nobody has begun those between */
    uint32_t seats;          /* helpers that may still join */
    uint32_t portions_count; /* helpers that have joined: their portions */
    uint32_t working;        /* those of them that are not done yet */
    bool refused;
} fold_job;

struct sottod_fold {
    uint32_t helpers; /* threads beside the caller */
    pthread_t *thread;
    sotto__portion **portion; /* one per helper */
    uint32_t portions;
    pthread_mutex_t lock;
    pthread_cond_t begun, done;
    fold_job job; /* under the lock */
    bool closing; /* under the lock */

    /* What pays; tests change it. */
    uint64_t wake_ns;  /* that a helper costs, without merging */
    uint64_t chunk_ns; /* between two looks at the job */
};

#endif
