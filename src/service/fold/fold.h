/*
 * Folding on all cores. Each thread has tallies of its own; they are merged at the end. Sums are exact
 * integers, so the learner is the same to the bit as after sotto_learner_take_frames by one thread.
 */
#ifndef SERVICE_FOLD_H
#define SERVICE_FOLD_H

#include <sotto/server.h>

typedef struct sottod_fold sottod_fold;

/* Threads that wait for work; 0: as many as there are cores. NULL: no memory, or no thread. */
sottod_fold *fold_new(uint32_t threads);
void fold_free(sottod_fold *fold);

/* Takes whole frames, each of which sotto_learner_check answers SOTTO_OK; false if one was refused after
 * all, and the learner is then as before. Few frames, or cheap ones, are folded by the caller alone: what is
 * gained must be worth waking a thread. Allocates nothing once it has folded for a learner of this size. */
bool fold_frames(sottod_fold *fold, sotto_learner *learner, const uint8_t *frames,
                 size_t frames_bytes);

#endif
