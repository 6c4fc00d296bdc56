/* One of several services that share a journal: it checks frames by the learner of the last publish and
 * writes all of them down. Which of them are late, duplicate or conflicting is the folder's to say. */
#include "frame_head.h"
#include "intake_mode.h"

static bool catch_up(sottod_experiments *all, sottod_refusal *why)
{
    if (all->mode->catch_up(all)) return true;
    refusal_set_lack(why, LACK_JOURNAL,
                     "Whether the epoch of a frame has begun is not known here yet: send again.");
    return false;
}

/* The folder needs memory for the nonces of all that waits: what it does not publish, as while an epoch is held,
 * must end somewhere. */
static bool reserve(sottod_experiments *all, sottod_experiment *experiment, uint64_t frames)
{
    return experiment->waiting + frames <= all->settings.nonces_max;
}

static bool take_body(sottod_group *group, group_slot *slot, const uint8_t *body, size_t body_bytes)
{
    for (size_t at = 0; at < body_bytes; at += slot->experiment->frame_bytes) {
        group_add(group, slot, body + at, frame_head(body + at).epoch);
    }
    return true;
}

static void forget(sottod_group *group)
{
    while (group->frames > 0) {
        group_drop(group);
    }
}

static void settle(sottod_experiments *all, const group_slot *slot)
{
    (void)all;
    slot->experiment->waiting += slot->frames;
}

const intake_mode intake_shared = {
    .catch_up = catch_up,
    .reserve = reserve,
    .take_body = take_body,
    .forget = forget,
    .settle = settle,
};
