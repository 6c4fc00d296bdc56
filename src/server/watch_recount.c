/* Counting again: the reports are folded into a tally that nobody keeps, and what was counted beside it goes
 * to the learner's. */
#include "core/bytes.h"
#include "core/report.h"
#include "learner.h"

static sotto_status fold_epoch(sotto_learner *learner, sotto_tally *scratch, const uint8_t *frames,
                               size_t count)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *frame = frames + i * frame_bytes;
        if (sotto__get_u32(frame + SOTTO__REPORT_EPOCH_AT) != scratch->epoch) continue;
        sotto_status status =
            sotto_report_decode(&learner->terms, frame, frame_bytes, learner->report);
        if (status == SOTTO_OK) status = sotto_tally_fold(scratch, learner->report);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

static sotto_status recount_epoch(sotto_learner *learner, const sotto_tally *tally,
                                  const uint8_t *frames, size_t count)
{
    sotto_tally *scratch;
    sotto_status status =
        sotto__tally_new(&learner->terms, tally->epoch, tally->phase, tally->decides, &scratch);
    if (status != SOTTO_OK) return status;
    sotto__tally_share(scratch, tally->shares);
    status = sotto__tally_watch(scratch, learner->aim);
    if (status == SOTTO_OK) status = fold_epoch(learner, scratch, frames, count);
    if (status == SOTTO_OK) sotto__watch_add(tally->watch, scratch->watch);
    sotto_tally_free(scratch);
    return status;
}

sotto_status sotto__learner_recount(sotto_learner *learner, const uint8_t *frames,
                                    size_t frames_bytes)
{
    size_t frame_bytes = sotto_report_bytes(&learner->terms);
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    if (frames_bytes % frame_bytes != 0) return SOTTO_E_LENGTH;
    if (learner->aim == NULL) return SOTTO_OK;
    for (uint32_t back = 0; back <= (current < lag ? current : lag); back++) {
        const sotto_tally *tally = sotto__learner_epoch(learner, current - back)->tally;
        sotto_status status = recount_epoch(learner, tally, frames, frames_bytes / frame_bytes);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}
