/* Reports as they come in, many at once: frames that follow each other. */
#include "learner.h"

#include <assert.h>

static sotto_status take_frame(sotto_learner *learner, const uint8_t *frame, size_t frame_bytes)
{
    sotto_status status = sotto_report_decode(&learner->terms, frame, frame_bytes, learner->report);
    return status == SOTTO_OK ? sotto_learner_take(learner, learner->report) : status;
}

sotto_status sotto_learner_take_frames(sotto_learner *learner, const uint8_t *frames,
                                       size_t frames_bytes, sotto_status *status)
{
    if (learner == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    if (frames_bytes % frame_bytes != 0) return SOTTO_E_LENGTH;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < frames_bytes / frame_bytes; i++) {
        sotto_status of_one = take_frame(learner, frames + i * frame_bytes, frame_bytes);
        if (status != NULL) status[i] = of_one;
        if (first == SOTTO_OK) first = of_one;
    }
    return first;
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
        uint64_t before = tally->count;
        sotto__tally_unfold(tally, report);
        learner->taken -= before - tally->count;
    }
}
