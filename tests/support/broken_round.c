/* Rounds with a planted fault: each wraps a real round and does something wrong around it. */
#include "broken_round.h"
#include "client/client.h"
#include "core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The object behind every sotto_round * in this file. */
typedef struct twin_round {
    sotto_client client;  /* uses the audit's randomness, and its ledger or a hidden one */
    sotto_ledger *ledger; /* the audit's */
    sotto_ledger *hidden;
    sotto_round *real;
    const sotto_model *model;
    size_t frame_bytes;
    double covered; /* distance in ticks that the noise covers; 0 without ticks */
    double context[16], reward;
    uint32_t context_count;
} twin_round;

/* How far apart the reports of two secrets may be with the same random words. */
static double covered_by(const sotto_terms *terms)
{
    const sotto_spec *spec = &terms->spec;
    double scales = spec->noise_law == SOTTO_NOISE_LAPLACE
                        ? spec->epsilon
                        : 1 / sotto_gaussian_sigma(spec->epsilon, spec->delta, 1);
    return scales * terms->lattice.scale_ticks;
}

static sotto_status create(sotto_client *client, const sotto_terms *terms, sotto_round **out)
{
    twin_round *twin = calloc(1, sizeof *twin);
    *out = (sotto_round *)twin;
    if (twin == NULL) return SOTTO_E_MEMORY;
    twin->client = *client;
    twin->ledger = client->ledger;
    twin->frame_bytes = sotto_report_bytes(terms);
    if (!sotto_terms_reports_indices(terms)) twin->covered = covered_by(terms);
    sotto_status status = sotto_ledger_memory_new(&twin->hidden);
    if (status != SOTTO_OK) return status;
    return sotto_round_new(&twin->client, terms, &twin->real);
}

static void release(sotto_round *round)
{
    twin_round *twin = (twin_round *)round;
    sotto_round_free(twin->real);
    sotto_ledger_free(twin->hidden);
    free(twin);
}

static sotto_status begin(sotto_round *round, const sotto_model *model)
{
    twin_round *twin = (twin_round *)round;
    twin->model = model;
    twin->client.ledger = twin->ledger;
    return sotto_round_begin(twin->real, model);
}

static sotto_status decide(sotto_round *round, const double *context, uint32_t context_count,
                           uint32_t *arm)
{
    twin_round *twin = (twin_round *)round;
    if (context_count <= 16) {
        memcpy(twin->context, context, context_count * sizeof context[0]);
        twin->context_count = context_count;
    }
    return sotto_round_decide(twin->real, context, context_count, arm);
}

static sotto_status finish(sotto_round *round, double reward, uint8_t *frame, size_t capacity_bytes)
{
    twin_round *twin = (twin_round *)round;
    twin->reward = reward;
    return sotto_round_finish(twin->real, reward, frame, capacity_bytes);
}

static sotto_status resend(const sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    return sotto_round_resend(((const twin_round *)round)->real, frame, capacity_bytes);
}

/* ---- faults ------------------------------------------------------------------------------- */

static sotto_status begin_hidden(sotto_round *round, const sotto_model *model)
{
    twin_round *twin = (twin_round *)round;
    twin->model = model;
    twin->client.ledger = twin->hidden;
    return sotto_round_begin(twin->real, model);
}

static sotto_status begin_anyway(sotto_round *round, const sotto_model *model)
{
    return begin(round, model) == SOTTO_OK ? SOTTO_OK : begin_hidden(round, model);
}

static sotto_status begin_nothing(sotto_round *round, const sotto_model *model)
{
    ((twin_round *)round)->model = model;
    return SOTTO_OK;
}

static sotto_status begin_and_decide(sotto_round *round, const double *context,
                                     uint32_t context_count, uint32_t *arm)
{
    sotto_status status = begin(round, ((twin_round *)round)->model);
    return status == SOTTO_OK ? decide(round, context, context_count, arm) : status;
}

static sotto_status redraw_and_decide(sotto_round *round, const double *context,
                                      uint32_t context_count, uint32_t *arm)
{
    twin_round *twin = (twin_round *)round;
    sotto_status status = begin_hidden(round, twin->model);
    if (status == SOTTO_OK) status = decide(round, context, context_count, arm);
    twin->client.ledger = twin->ledger;
    return status;
}

static sotto_status resend_anew(const sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    const twin_round *twin = (const twin_round *)round;
    uint32_t arm;
    sotto_status status = sotto_round_begin(twin->real, twin->model);
    if (status != SOTTO_OK) return status;
    status = sotto_round_decide(twin->real, twin->context, twin->context_count, &arm);
    if (status != SOTTO_OK) return status;
    return sotto_round_finish(twin->real, twin->reward, frame, capacity_bytes);
}

static sotto_status finish_longer(sotto_round *round, double reward, uint8_t *frame,
                                  size_t capacity_bytes)
{
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    size_t bytes = ((twin_round *)round)->frame_bytes;
    if (status == SOTTO_OK && reward > 0.5 && bytes < capacity_bytes) frame[bytes] = 0;
    return status;
}

static sotto_status finish_or_not(sotto_round *round, double reward, uint8_t *frame,
                                  size_t capacity_bytes)
{
    if (isnan(reward)) return SOTTO_E_ORDER;
    return finish(round, reward, frame, capacity_bytes);
}

static sotto_status finish_with_more(sotto_round *round, double reward, uint8_t *frame,
                                     size_t capacity_bytes)
{
    twin_round *twin = (twin_round *)round;
    uint64_t more;
    sotto_status status = SOTTO_OK;
    if (isnan(reward)) status = sotto__draw_u64(twin->client.rng, &more);
    return status == SOTTO_OK ? finish(round, reward, frame, capacity_bytes) : status;
}

static sotto_status finish_halved(sotto_round *round, double reward, uint8_t *frame,
                                  size_t capacity_bytes)
{
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    size_t bytes = ((twin_round *)round)->frame_bytes;
    for (size_t at = 40; at < bytes && status == SOTTO_OK; at += 4) {
        sotto__put_u32(frame + at, (uint32_t)((int32_t)sotto__get_u32(frame + at) / 2));
    }
    return status;
}

/* The last tick is the last four bytes. */
static sotto_status finish_bare(sotto_round *round, double reward, uint8_t *frame,
                                size_t capacity_bytes)
{
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    uint8_t *tick = frame + ((twin_round *)round)->frame_bytes - 4;
    if (status != SOTTO_OK || !isfinite(reward)) return status;
    sotto__put_u32(tick, (uint32_t)(int32_t)fmax(-1e6, fmin(1e6, reward)));
    return status;
}

static sotto_status begin_hidden_in_warm_up(sotto_round *round, const sotto_model *model)
{
    return model->phase == SOTTO_PHASE_WARM_UP ? begin_hidden(round, model) : begin(round, model);
}

static sotto_status begin_hidden_in_main(sotto_round *round, const sotto_model *model)
{
    return model->phase == SOTTO_PHASE_MAIN ? begin_hidden(round, model) : begin(round, model);
}

static sotto_status begin_hidden_in_mean(sotto_round *round, const sotto_model *model)
{
    return model->phase == SOTTO_PHASE_MEAN ? begin_hidden(round, model) : begin(round, model);
}

static sotto_status begin_as_warm_up(sotto_round *round, const sotto_model *model)
{
    sotto_model shallow = *model; /* the round copies it */
    if (model->phase == SOTTO_PHASE_MEAN) shallow.phase = SOTTO_PHASE_WARM_UP;
    sotto_status status = begin(round, &shallow);
    ((twin_round *)round)->model = model;
    return status;
}

/* The first arm for contexts on one side, the second for those on the other. */
static sotto_status decide_by_context(sotto_round *round, const double *context,
                                      uint32_t context_count, uint32_t *arm)
{
    sotto_status status = decide(round, context, context_count, arm);
    bool mean = ((twin_round *)round)->model->phase == SOTTO_PHASE_MEAN;
    if (status == SOTTO_OK && mean) *arm = context[0] > 0 ? 0 : 1;
    return status;
}

/* Changes the last byte of an index or a tick by one; the report stays valid. */
static sotto_status finish_otherwise(sotto_round *round, double reward, uint8_t *frame,
                                     size_t capacity_bytes)
{
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    if (status == SOTTO_OK) frame[40] ^= 1;
    return status;
}

static sotto_status resend_otherwise(const sotto_round *round, uint8_t *frame,
                                     size_t capacity_bytes)
{
    sotto_status status = resend(round, frame, capacity_bytes);
    if (status == SOTTO_OK) frame[40] ^= 1;
    return status;
}

/* For large rewards, moves the first tick by half the distance that the noise covers. */
static sotto_status finish_far(sotto_round *round, double reward, uint8_t *frame,
                               size_t capacity_bytes)
{
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    double away = reward > 0.5 ? ((twin_round *)round)->covered / 2 : 0;
    if (status != SOTTO_OK) return status;
    sotto__put_u32(frame + 40, (uint32_t)((int32_t)sotto__get_u32(frame + 40) + (int32_t)away));
    return status;
}

sotto__rounds broken_rounds(uint32_t fault)
{
    static const sotto__rounds table[] = {
        [BROKEN_ROUND_NO_LEDGER] = {create, release, begin_hidden, decide, finish, resend},
        [BROKEN_ROUND_NO_REFUSAL] = {create, release, begin_anyway, decide, finish, resend},
        [BROKEN_ROUND_LATE_BEGIN] = {create, release, begin_nothing, begin_and_decide, finish,
                                     resend},
        [BROKEN_ROUND_LATE_NONCE] = {create, release, begin, redraw_and_decide, finish, resend},
        [BROKEN_ROUND_NEW_RESEND] = {create, release, begin, decide, finish, resend_anew},
        [BROKEN_ROUND_LONG_REPORT] = {create, release, begin, decide, finish_longer, resend},
        [BROKEN_ROUND_SILENT] = {create, release, begin, decide, finish_or_not, resend},
        [BROKEN_ROUND_MORE_BYTES] = {create, release, begin, decide, finish_with_more, resend},
        [BROKEN_ROUND_HALF_NOISE] = {create, release, begin, decide, finish_halved, resend},
        [BROKEN_ROUND_BARE_TICK] = {create, release, begin, decide, finish_bare, resend},
        [BROKEN_ROUND_WARM_UP] = {create, release, begin_hidden_in_warm_up, decide, finish, resend},
        [BROKEN_ROUND_MAIN] = {create, release, begin_hidden_in_main, decide, finish, resend},
        [BROKEN_ROUND_OTHER_BYTES] = {create, release, begin, decide, finish_otherwise,
                                      resend_otherwise},
        [BROKEN_ROUND_MEAN] = {create, release, begin_hidden_in_mean, decide, finish, resend},
        [BROKEN_ROUND_MEAN_ARM] = {create, release, begin, decide_by_context, finish, resend},
        [BROKEN_ROUND_MEAN_REWARD] = {create, release, begin_as_warm_up, decide, finish, resend},
        [BROKEN_ROUND_FAR] = {create, release, begin, decide, finish_far, resend},
    };
    return table[fault];
}
