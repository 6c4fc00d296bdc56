#include "inner.h"
#include "server/server.h"
#include "service/system/system.h"

#include <stdlib.h>
#include <string.h>

#define COPIES_FIRST 64u /* small at first, so that experiments are cheap */
#define COPIES_STEP 512u /* step of growth: small, because a group waits while memory is taken */

static_assert(SOTTO_NONCE_BYTES == 2 * sizeof(uint64_t), "two hashes stand for a nonce");

/* `first`: the first frame of each nonce. `other`: further frames under a nonce of `first`, by a keyed hash of the
 * whole frame in place of the nonce. */
struct experiment_copies {
    uint64_t session;
    uint8_t key[2][SOTTO_NONCE_KEY_BYTES];
    sotto_nonce_set *first, *other;
};

void copies_free(experiment_copies *copies)
{
    if (copies == NULL) return;
    sotto_nonce_set_free(copies->first);
    sotto_nonce_set_free(copies->other);
    free(copies);
}

static experiment_copies *copies_new(const sotto_terms *terms, uint64_t session)
{
    experiment_copies *copies = calloc(1, sizeof *copies);
    if (copies == NULL) return NULL;
    copies->session = session;
    if (entropy_draw(copies->key, sizeof copies->key) &&
        sotto_nonce_set_new(terms, copies->key[0], COPIES_FIRST, &copies->first) == SOTTO_OK &&
        sotto_nonce_set_new(terms, copies->key[1], COPIES_FIRST, &copies->other) == SOTTO_OK)
        return copies;
    copies_free(copies);
    return NULL;
}

/* False: no memory, or too many. */
static bool make_room(sotto_nonce_set *set, uint32_t epoch, uint64_t more)
{
    if (sotto_nonce_set_advance(set, epoch) != SOTTO_OK) return false;
    uint64_t wanted = sotto_nonce_set_count(set) + more;
    uint64_t capacity = sotto_nonce_set_capacity(set);
    if (wanted <= capacity) return true;
    if (wanted > COPIES_MAX) return false;
    capacity = (wanted + COPIES_STEP - 1) / COPIES_STEP * COPIES_STEP;
    return sotto_nonce_set_grow(set, (uint32_t)capacity) == SOTTO_OK;
}

void copies_prepare(sottod_experiment *experiment, uint64_t session, uint64_t frames)
{
    const uint32_t epoch = engine_epoch(experiment->engine);
    experiment_copies *copies = experiment->copies;
    if (copies != NULL && copies->session == session && make_room(copies->first, epoch, frames) &&
        make_room(copies->other, epoch, 1))
        return;
    copies_free(copies);
    experiment->copies = copies = copies_new(&experiment->engine->terms, session);
    if (copies != NULL && make_room(copies->first, epoch, frames) &&
        make_room(copies->other, epoch, 1))
        return;
    copies_free(copies);
    experiment->copies = NULL; /* every frame is stored then */
}

static sotto_report other_head(const experiment_copies *copies, const sotto_report *head,
                               const uint8_t *frame, size_t frame_bytes)
{
    sotto_report other = {.epoch = head->epoch};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t hash = sotto__siphash(copies->key[i], frame, frame_bytes);
        sotto__put_u64(other.nonce + i * sizeof hash, hash);
    }
    return other;
}

bool copies_has(const sottod_experiment *experiment, const uint8_t *frame)
{
    const experiment_copies *copies = experiment->copies;
    const size_t bytes = experiment->engine->frame_bytes;
    const sotto_report head = frame_head(frame);
    sotto_seen seen;
    if (copies == NULL ||
        sotto_nonce_set_see(copies->first, &head, frame, bytes, &seen) != SOTTO_OK)
        return false;
    if (seen != SOTTO_SEEN_OTHER) return seen == SOTTO_SEEN_SAME;
    const sotto_report other = other_head(copies, &head, frame, bytes);
    if (!make_room(copies->other, engine_epoch(experiment->engine), 1)) return false;
    return sotto_nonce_set_see(copies->other, &other, frame, bytes, &seen) == SOTTO_OK &&
           seen == SOTTO_SEEN_SAME;
}

void copies_forget(const sottod_experiment *experiment, const uint8_t *frame)
{
    const experiment_copies *copies = experiment->copies;
    if (copies == NULL) return;
    const sotto_report head = frame_head(frame);
    const sotto_report other = other_head(copies, &head, frame, experiment->engine->frame_bytes);
    const uint64_t before = sotto_nonce_set_count(copies->other);
    sotto_nonce_set_remove(copies->other, &other);
    if (sotto_nonce_set_count(copies->other) == before)
        sotto_nonce_set_remove(copies->first, &head);
}
