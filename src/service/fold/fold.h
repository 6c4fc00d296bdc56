/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_FOLD_ROOM_H
#define SOTTO_SERVICE_FOLD_ROOM_H

#include <sotto/server.h>

/*
 * Folding on all cores. Each thread has its own tallies, which are merged at the end. Sums are exact integers, so the
 * learner has the same bits as after sotto_learner_take_frames in one thread. */

typedef struct sottod_fold sottod_fold;

/* 0: one thread per core. NULL: no memory, or no thread. */
sottod_fold *fold_new(uint32_t threads);
void fold_free(sottod_fold *fold);

/* Takes whole frames, for each of which sotto_learner_check returns SOTTO_OK; false if one was refused nevertheless,
 * and the learner is then unchanged. Few or cheap frames are folded by the caller alone: the gain must be worth
 * waking a thread. Allocates nothing once it has folded for a learner of this size. */
bool fold_frames(sottod_fold *fold, sotto_learner *learner, const uint8_t *frames,
                 size_t frames_bytes);

#endif
