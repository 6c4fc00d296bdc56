/* Rounds of many people, one after another: for callers to whom each call costs much. */
#include "core/float_environment.h"
#include "round.h"

#include <sotto/client.h>

#include <string.h>

/* Keeps the status of one round, and the first that is not SOTTO_OK. */
static void note(sotto_status of_one, size_t i, sotto_status *status, sotto_status *first)
{
    if (status != NULL) status[i] = of_one;
    if (*first == SOTTO_OK) *first = of_one;
}

static sotto_status rounds_begin(sotto_round *const *round, size_t count, const sotto_model *model,
                                 sotto_status *status)
{
    if (round == NULL || model == NULL) return SOTTO_E_ARGUMENT;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < count; i++) {
        note(sotto__round_begin(round[i], model), i, status, &first);
    }
    return first;
}

sotto_status sotto_rounds_begin(sotto_round *const *round, size_t count, const sotto_model *model,
                                sotto_status *status)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(rounds_begin)(round, count, model, status);
}

static sotto_status rounds_decide(sotto_round *const *round, size_t count, const double *context,
                                  uint32_t context_count, uint32_t *arm, sotto_status *status)
{
    if (round == NULL || context == NULL || arm == NULL) return SOTTO_E_ARGUMENT;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < count; i++) {
        arm[i] = UINT32_MAX;
        note(sotto__round_decide(round[i], context + i * context_count, context_count, &arm[i]), i,
             status, &first);
    }
    return first;
}

sotto_status sotto_rounds_decide(sotto_round *const *round, size_t count, const double *context,
                                 uint32_t context_count, uint32_t *arm, sotto_status *status)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(rounds_decide)(round, count, context, context_count, arm, status);
}

static sotto_status rounds_finish(sotto_round *const *round, size_t count, const double *reward,
                                  uint8_t *frames, size_t frame_bytes, sotto_status *status)
{
    if (round == NULL || reward == NULL || frames == NULL) return SOTTO_E_ARGUMENT;
    sotto_status first = SOTTO_OK;
    for (size_t i = 0; i < count; i++) {
        uint8_t *frame = frames + i * frame_bytes;
        memset(frame, 0, frame_bytes);
        note(sotto__round_finish(round[i], reward[i], frame, frame_bytes), i, status, &first);
    }
    return first;
}

sotto_status sotto_rounds_finish(sotto_round *const *round, size_t count, const double *reward,
                                 uint8_t *frames, size_t frame_bytes, sotto_status *status)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(rounds_finish)(round, count, reward, frames, frame_bytes, status);
}
