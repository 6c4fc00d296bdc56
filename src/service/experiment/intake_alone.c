/* A service alone with its journal: it knows the nonces of open epochs, and folds what is durable. */
#include "frame_head.h"
#include "intake_mode.h"

#include <assert.h>

/* What is not known here has not begun. */
static bool catch_up(sottod_experiments *all, sottod_refusal *why)
{
    (void)all, (void)why;
    return false;
}

static bool reserve(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames)
{
    return experiment_reserve_nonces(experiment, frames, all->settings.nonces_max);
}

/* ---- told apart */

static sotto_status sort_out(sottod_group *group, group_slot *slot, const uint8_t *frame)
{
    const sottod_experiment *experiment = slot->experiment;
    sotto_report head = frame_head(frame);
    sotto_seen seen;
    if (head.epoch < experiment_oldest_open(experiment)) {
        slot->late++;
        return SOTTO_OK;
    }
    sotto_status status =
        sotto_nonce_set_see(experiment->nonces, &head, frame, experiment->frame_bytes, &seen);
    if (status != SOTTO_OK) return status;
    switch (seen) {
    case SOTTO_SEEN_NEW: group_add(group, slot, frame, head.epoch); break;
    case SOTTO_SEEN_SAME: slot->duplicate++; break;
    case SOTTO_SEEN_OTHER: slot->conflicting++; break;
    }
    return SOTTO_OK;
}

/* Forgets the last frames, and their nonces, down to so many: from the end, where a set finds them first. */
static void forget_frames(sottod_group *group, uint32_t frames)
{
    while (group->frames > frames) {
        const group_frame *last = &group->frame[group->frames - 1];
        const sottod_experiment *experiment = group->slot[last->slot].experiment;
        sotto_report head = frame_head(group->bytes + last->at);
        if (experiment->nonces != NULL) sotto_nonce_set_remove(experiment->nonces, &head);
        group_drop(group);
    }
}

static bool take_body(sottod_group *group, group_slot *slot, const uint8_t *body, size_t body_bytes)
{
    const group_slot before = *slot;
    const uint32_t frames = group->frames;
    size_t frame_bytes = slot->experiment->frame_bytes;
    for (size_t at = 0; at < body_bytes; at += frame_bytes) {
        if (sort_out(group, slot, body + at) == SOTTO_OK) continue;
        forget_frames(group, frames);
        *slot = before;
        return false;
    }
    return true;
}

static void forget(sottod_group *group)
{
    forget_frames(group, 0);
}

/* ---- folded */

static void fold_slot(sottod_experiments *all, const group_slot *slot)
{
    sottod_experiment *experiment = slot->experiment;
    if (experiment->state == JOURNAL_DELETED) return;
    if (slot->frames > 0) {
        bool folded =
            fold_frames(all->fold, experiment->learner, slot->sorted.at, slot->sorted.bytes);
        assert(folded); /* each was checked, and no epoch ended since */
        (void)folded;
    }
    experiment->life->counts.folded += slot->frames;
    experiment->life->counts.late += slot->late;
    experiment->life->counts.duplicate += slot->duplicate;
    experiment->life->counts.conflicting += slot->conflicting;
    experiment_rows_add(&experiment->life->rows, slot->seq, slot->epoch, slot->sorted.bytes,
                        experiment->terms->spec.epoch_lag_max + 1);
    experiments_touch(all, experiment);
}

const intake_mode intake_alone = {
    .catch_up = catch_up,
    .reserve = reserve,
    .take_body = take_body,
    .forget = forget,
    .settle = fold_slot,
};
