/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_FOLD_ROOM_H
#define SOTTO_SERVICE_FOLD_ROOM_H

#include <sotto/server.h>

/*
 * Folding on all cores. Each thread has tallies of its own; they are merged at the end. Sums are exact
 * integers, so the learner is the same to the bit as after sotto_learner_take_frames by one thread.
 */

typedef struct sottod_fold sottod_fold;

/* Threads that wait for work; 0: as many as there are cores. NULL: no memory, or no thread. */
sottod_fold *fold_new(uint32_t threads);
void fold_free(sottod_fold *fold);

/* Takes whole frames, each of which sotto_learner_check answers SOTTO_OK; false if one was refused after
 * all, and the learner is then as before. Few frames, or cheap ones, are folded only by the caller: what is
 * gained must be worth waking a thread. Allocates nothing once it has folded for a learner of this size. */
bool fold_frames(sottod_fold *fold, sotto_learner *learner, const uint8_t *frames,
                 size_t frames_bytes);

#endif
