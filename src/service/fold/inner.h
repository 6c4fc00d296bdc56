/* What files of this room share. */
#ifndef SOTTO_SERVICE_FOLD_INNER_H
#define SOTTO_SERVICE_FOLD_INNER_H

#include "fold.h"
#include "server/server.h"
#include "threads/threads.h"

#include <stdint.h>

/* ---- fold_inside ---------------------------------------------------------------------------- */

/* What a pool is made of. */

#define FOLD_THREADS_MAX 256u

/* The frames of one call. The caller takes them from the front, into the learner itself; helpers take them
 * from the back, each into a portion of its own. */
typedef struct fold_job {
    const uint8_t *frames;
    size_t frame_bytes;
    size_t chunk;            /* frames that are taken at a time */
    size_t front, back;      /* nobody has begun those between */
    uint32_t helpers_wanted; /* helpers that may still join */
    uint32_t portions_count; /* helpers that have joined: their portions */
    uint32_t working;        /* those of them that are not done yet */
    bool refused;
} fold_job;

struct sottod_fold {
    workers workers;          /* threads beside the caller */
    sotto__portion **portion; /* one per helper */
    uint32_t portions;
    fold_job job; /* under the lock */

    /* What pays; tests change it. */
    uint64_t wake_ns;  /* that a helper costs, without merging */
    uint64_t chunk_ns; /* between two looks at the job */
};

#endif
