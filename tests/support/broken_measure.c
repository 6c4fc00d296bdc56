/*
 * Measure rounds with a planted fault: each wraps a real round, records its random words, and sends
 * another report or plays another arm.
 */
#include "broken_measure.h"
#include "client/client.h"
#include "core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Forwards the audit's generator and remembers its last words. */
typedef struct tap {
    sotto_rng rng;
    sotto_rng *source;
    uint64_t word[3];
    uint32_t words;
} tap;

typedef struct twin_round {
    sotto_client client;
    tap tap;
    sotto_round *real;
    sotto_terms terms;
    const sotto_model *model;
    double first; /* of the context */
    uint32_t arm;
} twin_round;

static sotto_status tap_fill(sotto_rng *rng, void *out, size_t bytes)
{
    tap *self = (tap *)rng;
    sotto_status status = self->source->fill(self->source, out, bytes);
    if (bytes == sizeof self->word[0]) memcpy(&self->word[self->words++ % 3], out, bytes);
    return status;
}

static sotto_status create(sotto_client *client, const sotto_terms *terms, sotto_round **out)
{
    twin_round *twin = calloc(1, sizeof *twin);
    *out = (sotto_round *)twin;
    if (twin == NULL) return SOTTO_E_MEMORY;
    twin->client = *client;
    twin->terms = *terms;
    twin->tap = (tap){.rng = {tap_fill}, .source = client->rng};
    twin->client.rng = &twin->tap.rng;
    return sotto_round_new(&twin->client, terms, &twin->real);
}

static void release(sotto_round *round)
{
    sotto_round_free(((twin_round *)round)->real);
    free(round);
}

static sotto_status begin(sotto_round *round, const sotto_model *model)
{
    twin_round *twin = (twin_round *)round;
    twin->model = model;
    twin->tap.words = 0;
    return sotto_round_begin(twin->real, model);
}

static sotto_status decide(sotto_round *round, const double *context, uint32_t context_count,
                           uint32_t *arm)
{
    twin_round *twin = (twin_round *)round;
    sotto_status status = sotto_round_decide(twin->real, context, context_count, arm);
    twin->first = context[0];
    twin->arm = *arm;
    return status;
}

static sotto_status finish(sotto_round *round, double reward, uint8_t *frame, size_t capacity_bytes)
{
    twin_round *twin = (twin_round *)round;
    return sotto_round_finish(twin->real, reward, frame, capacity_bytes);
}

static sotto_status resend(const sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    return sotto_round_resend(((const twin_round *)round)->real, frame, capacity_bytes);
}

/* ---- another report ------------------------------------------------------------------------ */

/* Of a report: magic 4, spec id 16, epoch 4, nonce 16, then indices. */
#define NONCE_AT 24
#define INDEX_AT 40

static sotto_role role_of(const twin_round *twin, const uint8_t *frame)
{
    bool followed = sotto__model_is_followed(&twin->terms.spec, twin->model);
    return sotto__role_of(&twin->terms, frame + NONCE_AT, followed);
}

/* The index for y by a codebook of two, with the random words that the real round drew. */
static uint32_t choose(const twin_round *twin, const sotto_codebook *codebook, const uint8_t *nonce,
                       double y)
{
    int32_t normal[1];
    double unit[1];
    uint32_t high[1], low[1], tied[1];
    uint8_t flipped[1];
    sotto__choice_work work = {normal, unit, high, low, tied, flipped};
    const sotto__choice choice = {codebook, twin->terms.stream_key, nonce, 0};
    const sotto__coins coins = {
        twin->tap.word[0],
        twin->tap.word[1] % (codebook->weight_top + codebook->weight_rest),
        twin->tap.word[2] % 2,
    };
    return sotto__choose_codeword(&choice, &y, 0, &coins, &work);
}

static void put_index(uint8_t *frame, uint32_t index)
{
    sotto__put_u16(frame + INDEX_AT, (uint16_t)index);
}

static double scaled(const sotto_spec *spec, double reward)
{
    double r = isfinite(reward) ? reward : spec->reward_default;
    return 2 * (r - spec->reward_lo) / (spec->reward_hi - spec->reward_lo) - 1;
}

/* Finishes as the real round does. If `changes` holds for the report, the block then changes it. */
#define FINISH_AND(name, changes)                                                                  \
    static void name##_report(const twin_round *twin, double reward, uint8_t *frame);              \
    static sotto_status finish_##name(sotto_round *round, double reward, uint8_t *frame,           \
                                      size_t capacity_bytes)                                       \
    {                                                                                              \
        const twin_round *twin = (twin_round *)round;                                              \
        sotto_status status = finish(round, reward, frame, capacity_bytes);                        \
        if (status == SOTTO_OK && (changes)) name##_report(twin, reward, frame);                   \
        return status;                                                                             \
    }                                                                                              \
    static void name##_report(const twin_round *twin, double reward, uint8_t *frame)
#define MEASURES (role_of(twin, frame) != SOTTO_ROLE_LEARN)

FINISH_AND(heavy, MEASURES)
{
    sotto_codebook heavy = sotto__measure_codebook(&twin->terms.codebook[twin->model->phase]);
    heavy.weight_top++;
    double y = fmax(-1, fmin(1, scaled(&twin->terms.spec, reward)));
    put_index(frame, choose(twin, &heavy, frame + NONCE_AT, y));
}

/* P(+1) = (1 + y/B)/2: right for -1 <= y <= 1. */
FINISH_AND(unclipped, MEASURES)
{
    sotto_codebook sure = sotto__measure_codebook(&twin->terms.codebook[twin->model->phase]);
    double all = (double)(sure.weight_top + sure.weight_rest);
    double chance = (1 + scaled(&twin->terms.spec, reward) / sure.scale) / 2;
    bool plus = (double)twin->tap.word[1] < chance * all;
    sure.weight_rest = 0; /* the index that means this sign */
    put_index(frame, choose(twin, &sure, frame + NONCE_AT, plus ? 1 : -1));
}

FINISH_AND(late_role, role_of(twin, frame) == SOTTO_ROLE_FOLLOW && twin->first > 0.5)
{
    const sotto_codebook codebook =
        sotto__measure_codebook(&twin->terms.codebook[twin->model->phase]);
    put_index(frame, choose(twin, &codebook, frame + NONCE_AT, -scaled(&twin->terms.spec, reward)));
}

static void put_sign(const twin_round *twin, sotto_codebook codebook, double reward, uint8_t *frame)
{
    codebook.weight_rest = 0;
    put_index(frame, choose(twin, &codebook, frame + NONCE_AT, reward > 0 ? 1 : -1));
}

FINISH_AND(bare, role_of(twin, frame) == SOTTO_ROLE_CONTROL)
{
    put_sign(twin, sotto__measure_codebook(&twin->terms.codebook[twin->model->phase]), reward,
             frame);
}

FINISH_AND(one_bare, twin->model->shares != NULL)
{
    put_sign(twin, twin->terms.codebook[twin->model->phase], reward, frame);
}

FINISH_AND(wide, MEASURES &&reward > 0.5)
{
    (void)reward;
    put_index(frame, (uint32_t)(twin->tap.word[1] % twin->terms.codebook[twin->model->phase].size));
}

FINISH_AND(second_slot, MEASURES &&sotto_report_count(&twin->terms) > 1)
{
    (void)reward;
    uint32_t index = sotto__get_u16(frame + INDEX_AT);
    put_index(frame, 0);
    sotto__put_u16(frame + INDEX_AT + 2 * twin->arm, (uint16_t)index);
}

static sotto_status finish_with_more(sotto_round *round, double reward, uint8_t *frame,
                                     size_t capacity_bytes)
{
    twin_round *twin = (twin_round *)round;
    sotto_status status = finish(round, reward, frame, capacity_bytes);
    uint64_t more;
    bool measured = status == SOTTO_OK && role_of(twin, frame) != SOTTO_ROLE_LEARN;
    return measured && isnan(reward) ? sotto__draw_u64(twin->client.rng, &more) : status;
}

/* ---- another arm, another nonce ----------------------------------------------------------- */

static sotto_status decide_late(sotto_round *round, const double *context, uint32_t context_count,
                                uint32_t *arm)
{
    sotto_status status = decide(round, context, context_count, arm);
    if (context[0] > 0.5) *arm = 0;
    return status;
}

static sotto_status decide_one_late(sotto_round *round, const double *context,
                                    uint32_t context_count, uint32_t *arm)
{
    sotto_status status = decide(round, context, context_count, arm);
    if (context[0] > 0.5 && ((twin_round *)round)->model->shares != NULL) *arm = 0;
    return status;
}

/* For such a context it begins again and so gets another nonce. */
static sotto_status decide_redrawn(sotto_round *round, const double *context,
                                   uint32_t context_count, uint32_t *arm)
{
    twin_round *twin = (twin_round *)round;
    sotto_status status = SOTTO_OK;
    if (context[0] > 0.5) status = begin(round, twin->model);
    return status == SOTTO_OK ? decide(round, context, context_count, arm) : status;
}

sotto__rounds broken_measures(uint32_t fault)
{
    static const sotto__rounds table[] = {
        [BROKEN_MEASURE_HEAVY] = {create, release, begin, decide, finish_heavy, resend},
        [BROKEN_MEASURE_UNCLIPPED] = {create, release, begin, decide, finish_unclipped, resend},
        [BROKEN_MEASURE_LATE_ROLE] = {create, release, begin, decide, finish_late_role, resend},
        [BROKEN_MEASURE_LATE_ARM] = {create, release, begin, decide_late, finish, resend},
        [BROKEN_MEASURE_LATE_NONCE] = {create, release, begin, decide_redrawn, finish, resend},
        [BROKEN_MEASURE_BARE] = {create, release, begin, decide, finish_bare, resend},
        [BROKEN_MEASURE_MORE_BYTES] = {create, release, begin, decide, finish_with_more, resend},
        [BROKEN_MEASURE_WIDE_INDEX] = {create, release, begin, decide, finish_wide, resend},
        [BROKEN_MEASURE_SECOND_SLOT] = {create, release, begin, decide, finish_second_slot, resend},
        [BROKEN_MEASURE_ONE_ARM] = {create, release, begin, decide_one_late, finish, resend},
        [BROKEN_MEASURE_ONE_BARE] = {create, release, begin, decide, finish_one_bare, resend},
    };
    return table[fault];
}
