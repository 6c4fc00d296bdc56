/* Reports as they come in, many at once: frames that follow each other. */
#include "learner.h"

#include <assert.h>

static sotto_status take_frame(sotto_learner *learner, const uint8_t *frame, size_t frame_bytes)
{
    sotto_status status = sotto_report_decode(&learner->terms, frame, frame_bytes, learner->report);
    return status == SOTTO_OK ? sotto_learner_take(learner, learner->report) : status;
}

/* The learner is asked before the set, which would otherwise keep the nonce of a report that is not taken. */
static sotto_status take_frame_once(sotto_learner *learner, sotto_nonce_set *set,
                                    const uint8_t *frame, size_t frame_bytes, sotto_seen *seen)
{
    sotto_report *report = learner->report;
    sotto_status status = sotto_report_decode(&learner->terms, frame, frame_bytes, report);
    if (status == SOTTO_OK) status = sotto_learner_check(learner, report);
    if (status == SOTTO_OK) status = sotto_nonce_set_see(set, report, frame, frame_bytes, seen);
    if (status != SOTTO_OK || *seen != SOTTO_SEEN_NEW) return status;
    return sotto_learner_take(learner, report);
}

/* Each once, or as often as it comes if there is no set. */
static sotto_status take_all(sotto_learner *learner, sotto_nonce_set *set, const uint8_t *frames,
                             size_t frames_bytes, sotto_status *status, sotto_seen *seen)
{
    size_t each = sotto_report_bytes(&learner->terms);
    if (frames_bytes % each != 0) return SOTTO_E_LENGTH;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < frames_bytes / each; i++) {
        const uint8_t *frame = frames + i * each;
        sotto_seen known = SOTTO_SEEN_NEW;
        sotto_status of_one = set != NULL ? take_frame_once(learner, set, frame, each, &known)
                                          : take_frame(learner, frame, each);
        if (status != NULL) status[i] = of_one;
        if (seen != NULL) seen[i] = known;
        if (first == SOTTO_OK) first = of_one;
    }
    return first;
}

sotto_status sotto_learner_take_frames(sotto_learner *learner, const uint8_t *frames,
                                       size_t frames_bytes, sotto_status *status)
{
    if (learner == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    return take_all(learner, NULL, frames, frames_bytes, status, NULL);
}

sotto_status sotto_learner_take_frames_once(sotto_learner *learner, sotto_nonce_set *set,
                                            const uint8_t *frames, size_t frames_bytes,
                                            sotto_status *status, sotto_seen *seen)
{
    if (learner == NULL || set == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    return take_all(learner, set, frames, frames_bytes, status, seen);
}

size_t sotto__learner_take_until(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    for (size_t i = 0; i < count; i++) {
        if (take_frame(learner, frames + i * frame_bytes, frame_bytes) != SOTTO_OK) return i;
    }
    return count;
}

void sotto__learner_untake(sotto_learner *learner, const uint8_t *frames, size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    sotto_report *report = learner->report;
    for (size_t i = 0; i < count; i++) {
        sotto_status status =
            sotto_report_decode(&learner->terms, frames + i * frame_bytes, frame_bytes, report);
        assert(status == SOTTO_OK); /* it was taken */
        (void)status;
        sotto_tally *tally = sotto__learner_epoch(learner, report->epoch)->tally;
        uint64_t before = sotto__learner_counted(learner, tally);
        sotto__tally_unfold(tally, report);
        learner->taken -= before - sotto__learner_counted(learner, tally);
    }
}
