/* What files of this room share. */
#ifndef SOTTO_SERVICE_FOLD_INNER_H
#define SOTTO_SERVICE_FOLD_INNER_H

#include "fold.h"
#include "server/server.h"
#include "threads/threads.h"

#include <stdint.h>

/* ---- fold_inside ---------------------------------------------------------------------------- */

/* The parts of a pool. */

#define FOLD_THREADS_MAX 256u

/* The frames of one call. The caller takes them from the front, into the learner itself; helpers from the back, each
 * into its own portion. */
typedef struct fold_job {
    const uint8_t *frames;
    size_t frame_bytes;
    size_t chunk;            /* frames taken at a time */
    size_t front, back;      /* frames in between are not taken yet */
    uint32_t helpers_wanted; /* helpers that may still join */
    uint32_t portions_count; /* helpers that have joined, each with a portion */
    uint32_t working;        /* of these, helpers that are not done */
    bool refused;
} fold_job;

struct sottod_fold {
    workers workers;          /* threads beside the caller */
    sotto__portion **portion; /* one per helper */
    uint32_t portions;
    fold_job job; /* protected by the lock */

    /* Costs that decide how many helpers join; tests change them. */
    uint64_t wake_ns;  /* to wake a helper, without merging */
    uint64_t chunk_ns; /* between two looks at the job */
};

#endif
