#include "client.h"
#include "core/core.h"
#include "inner.h"

#include <sotto/client.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== round ================================================================================== */

/* A round: begin, decide, finish, each once, in this order; one nonce, one debit, one report. A held
 * round makes two, of which one leaves: docs/privacy.md 12.3. */

/* SERVED and PLAYED: a learn round under a fallback, which has no report, after begin and after
 * decide. */
typedef enum round_state { IDLE, BEGUN, DECIDED, FINISHED, SERVED, PLAYED } round_state;

struct sotto_round {
    sotto_client *client;
    sotto_terms terms;
    sotto__score_function *score;
    round_state state;
    sotto__door door;
    uint64_t entry;       /* the ledger's number of the round */
    sotto_model *model;   /* the round's own copy */
    sotto_report *report; /* scratch for the frame */
    sotto_role role;      /* of the round that is begun */
    sotto__door_work work;
    bool held;              /* decide also keeps a report, which finish replaces */
    sotto__door_work spare; /* for the second report of a held round */
    uint8_t *frame;         /* the last report, for a retry */
    size_t frame_bytes;
    /* The secret: */
    uint32_t arm;
    uint32_t context_count; /* numbers of a context; best-arm keeps none of them */
    size_t secret_bytes;    /* of the context, the score and the scratch, which follow each other */
    double *context;        /* clipped, and deflated if the model has a g */
    double *v;              /* the score, sotto__statistic_dim */
    double *scratch;        /* sotto__decide_doubles */
};

static uint32_t context_count_of(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms * spec->dim : spec->dim;
}

/* Numbers of a context that the round keeps. */
static uint32_t kept_count_of(const sotto_spec *spec)
{
    return sotto__method_of(spec)->one_for_all ? 0 : context_count_of(spec);
}

static size_t secret_count(const sotto_spec *spec)
{
    return kept_count_of(spec) + sotto__statistic_dim(spec) + sotto__decide_doubles(spec);
}

static void forget_secret(sotto_round *round)
{
    sotto__wipe(round->context, round->secret_bytes);
    sotto__wipe(&round->arm, sizeof round->arm);
}

static sotto_status admit(const sotto_client *client, const sotto_terms *terms)
{
    sotto_status status = sotto_terms_check(terms);
    if (status != SOTTO_OK) return status;
    return sotto_policy_refusal(&client->policy, &terms->spec, NULL);
}

static sotto_status round_new(sotto_client *client, const sotto_terms *terms, sotto_round **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (client == NULL || terms == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = admit(client, terms);
    if (status != SOTTO_OK) return status;

    status = SOTTO_E_MEMORY;
    sotto_round *round = calloc(1, sizeof *round);
    if (round == NULL) goto cleanup;
    round->client = client;
    round->terms = *terms;
    round->score = sotto__score_of(&terms->spec);
    round->door.terms = &round->terms;
    round->context_count = context_count_of(&terms->spec);
    round->frame_bytes = sotto_report_bytes(terms);
    round->frame = malloc(round->frame_bytes);
    round->secret_bytes = secret_count(&terms->spec) * sizeof(double);
    round->context = malloc(round->secret_bytes);
    if (round->frame == NULL || round->context == NULL) goto cleanup;
    round->v = round->context + kept_count_of(&terms->spec);
    round->scratch = round->v + sotto__statistic_dim(&terms->spec);
    status = sotto__door_work_new(terms, &round->work);
    if (status != SOTTO_OK) goto cleanup;
    status = sotto_report_new(terms, &round->report);
    if (status != SOTTO_OK) goto cleanup;
    status = sotto_model_new(terms, &round->model);
    if (status != SOTTO_OK) goto cleanup;
    bool kept = false;
    status =
        client->ledger->recall(client->ledger, terms->id, round->frame, round->frame_bytes, &kept);
    if (status != SOTTO_OK) goto cleanup;
    if (kept) round->state = FINISHED; /* may be sent again */
    *out = round;
    round = NULL; /* now the caller's */
cleanup:
    sotto_round_free(round);
    return status;
}

sotto_status sotto_round_new(sotto_client *client, const sotto_terms *terms, sotto_round **out)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(round_new)(client, terms, out);
}

void sotto_round_free(sotto_round *round)
{
    if (round == NULL) return;
    if (round->context != NULL) forget_secret(round);
    free(round->context);
    sotto__door_work_free(&round->work);
    sotto__door_work_free(&round->spare);
    sotto_report_free(round->report);
    sotto_model_free(round->model);
    free(round->frame);
    free(round);
}

/* The round's own copy: later changes of the caller's model have no effect. */
static sotto_status take_model(sotto_round *round, const sotto_model *model)
{
    sotto_status status = sotto_model_copy(&round->terms, model, round->model);
    if (status != SOTTO_OK) return status;
    double *g = round->model->g;
    if (g != NULL) sotto__clip_vector(g, round->terms.spec.dim, 1, g); /* a server may send any */
    return SOTTO_OK;
}

/* The arm that a fallback gives to everybody in a learn round, whatever their context is. */
static uint32_t served_arm(const sotto_round *round)
{
    uint32_t served = round->model->served;
    bool random = served > round->terms.spec.arms;
    return random ? sotto__assigned_arm(&round->terms, round->door.nonce) : served - 1;
}

/* Role and model are public and known before anything is booked: a round without a report costs nothing. */
static void begin_served(sotto_round *round)
{
    round->state = SERVED;
    round->held = false;
    round->entry = 0;
}

sotto_status sotto__round_begin(sotto_round *round, const sotto_model *model)
{
    if (round == NULL || model == NULL) return SOTTO_E_ARGUMENT;
    sotto_client *client = round->client;
    const sotto_spec *spec = &round->terms.spec;
    if (round->state == DECIDED) forget_secret(round); /* finish has forgotten the others */
    if (round->state != FINISHED) round->state = IDLE; /* abandoned, if it was begun */
    sotto_status status = take_model(round, model);
    if (status != SOTTO_OK) return status;

    uint8_t nonce[SOTTO_NONCE_BYTES];
    status = client->rng->fill(client->rng, nonce, sizeof nonce);
    if (status != SOTTO_OK) return status;
    bool followed = sotto__model_is_followed(spec, round->model);
    sotto_role role = sotto__role_of(&round->terms, nonce, followed);
    if (round->model->served > 0 && role == SOTTO_ROLE_LEARN) {
        memcpy(round->door.nonce, nonce, sizeof nonce);
        begin_served(round);
        return SOTTO_OK;
    }
    status = sotto__door_begin(&round->terms, client->noise, client->rng, &round->work);
    if (status != SOTTO_OK) return status;
    sotto__debit debit = {
        .spec_id = round->terms.id,
        .nonce = nonce,
        .epsilon = spec->epsilon,
        .delta = spec->delta,
        .policy = &client->policy,
    };
    status = client->ledger->debit(client->ledger, &debit, &round->entry);
    if (status != SOTTO_OK) return status;

    round->state = BEGUN;
    round->held = false;
    memcpy(round->door.nonce, nonce, sizeof nonce);
    round->role = role;
    round->door.epoch = round->model->epoch;
    round->door.phase = round->model->phase;
    return SOTTO_OK;
}

sotto_status sotto_round_begin(sotto_round *round, const sotto_model *model)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(sotto__round_begin)(round, model);
}

bool sotto_round_reports(const sotto_round *round)
{
    return round != NULL && (round->state == BEGUN || round->state == DECIDED);
}

static sotto_status round_hold(sotto_round *round)
{
    if (round == NULL) return SOTTO_E_ARGUMENT;
    if (round->state == SERVED) return SOTTO_E_SERVED;
    if (round->state != BEGUN || round->held) return SOTTO_E_ORDER;
    const sotto_client *client = round->client;
    sotto_status status = SOTTO_OK;
    /* Not allocated in round_new: rounds that are not held do not need it. */
    if (round->spare.memory == NULL) status = sotto__door_work_new(&round->terms, &round->spare);
    if (status != SOTTO_OK) return status;
    status = sotto__door_begin(&round->terms, client->noise, client->rng, &round->spare);
    round->held = status == SOTTO_OK;
    return status;
}

sotto_status sotto_round_hold(sotto_round *round)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(round_hold)(round);
}

/* When the report leaves: drawn and booked before there is a context. U is exactly uniform. */
static sotto_status book_due(const sotto_round *round, uint64_t now_ms, uint64_t *send_at_ms)
{
    const sotto_spec *spec = &round->terms.spec;
    sotto_ledger *ledger = round->client->ledger;
    uint64_t u_ms;
    if (now_ms < 1 || now_ms > SOTTO__BEGUN_MS_MAX) return SOTTO_E_FAULT;
    sotto_status status =
        sotto__draw_below(round->client->rng, UINT64_C(1000) * spec->send_spread_s + 1, &u_ms);
    if (status != SOTTO_OK) return status;
    /* At most 2^62 and two years: no overflow. */
    sotto__due due = {now_ms, now_ms + UINT64_C(1000) * spec->reward_window_s + u_ms};
    status = ledger->due(ledger, round->entry, &due);
    if (status == SOTTO_OK) *send_at_ms = due.send_at_ms;
    return status;
}

static sotto_status round_hold_at(sotto_round *round, uint64_t now_ms, uint64_t *send_at_ms)
{
    if (round == NULL || send_at_ms == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = round_hold(round);
    if (status == SOTTO_E_ORDER || status == SOTTO_E_SERVED) return status;
    if (status == SOTTO_OK) status = book_due(round, now_ms, send_at_ms);
    if (status != SOTTO_OK) round->state = IDLE; /* spent: without a time it must not be decided */
    return status;
}

sotto_status sotto_round_hold_at(sotto_round *round, uint64_t now_ms, uint64_t *send_at_ms)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(round_hold_at)(round, now_ms, send_at_ms);
}

uint64_t sotto_round_entry(const sotto_round *round)
{
    return round == NULL ? 0 : round->entry;
}

/* Keeps a context for the rest of the round, clipped and deflated. */
static sotto_status take_context(sotto_round *round, const double *context, uint32_t context_count)
{
    if (round->state != BEGUN) return SOTTO_E_ORDER;
    const sotto_spec *spec = &round->terms.spec;
    bool unread = sotto__method_of(spec)->one_for_all;
    if (context_count != round->context_count && !(unread && context_count == 0)) {
        return SOTTO_E_LENGTH;
    }
    if (unread) return SOTTO_OK;
    sotto__clip_rows(context, context_count / spec->dim, spec->dim, spec->context_norm_max,
                     round->context);
    /* Terms with a mean phase have per-arm parameters: a context is one vector. */
    bool deflates = round->model->g != NULL && round->door.phase != SOTTO_PHASE_MEAN;
    if (deflates) sotto__deflate(round->model->g, spec->dim, round->context);
    return SOTTO_OK;
}

static sotto_status end_decision(sotto_round *round, uint32_t *arm);

/* Does not read the context; there is nothing to keep. */
static sotto_status decide_served(sotto_round *round, uint32_t context_count, uint32_t *arm)
{
    if (context_count != round->context_count) return SOTTO_E_LENGTH;
    round->state = PLAYED;
    *arm = served_arm(round);
    return SOTTO_OK;
}

sotto_status sotto__round_decide(sotto_round *round, const double *context, uint32_t context_count,
                                 uint32_t *arm)
{
    if (round == NULL || arm == NULL) return SOTTO_E_ARGUMENT;
    bool unread = sotto__method_of(&round->terms.spec)->one_for_all;
    if (context == NULL && !unread) return SOTTO_E_ARGUMENT;
    if (round->state == SERVED) return decide_served(round, context_count, arm);
    sotto_status status = take_context(round, context, context_count);
    if (status != SOTTO_OK) return status;
    round->arm = round->role == SOTTO_ROLE_CONTROL
                     ? sotto__assigned_arm(&round->terms, round->door.nonce)
                     : sotto__decide(&round->terms, round->model, round->door.nonce, round->context,
                                     round->scratch);
    return end_decision(round, arm);
}

sotto_status sotto_round_decide(sotto_round *round, const double *context, uint32_t context_count,
                                uint32_t *arm)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(sotto__round_decide)(round, context, context_count, arm);
}

static bool worths_fit(const double *worth, uint32_t arms)
{
    for (uint32_t a = 0; a < arms; a++) {
        if (!(worth[a] >= 0) || isinf(worth[a])) return false;
    }
    return true;
}

sotto_status sotto__round_decide_worth(sotto_round *round, const double *context,
                                       uint32_t context_count, const double *worth, uint32_t *arm)
{
    if (round == NULL || context == NULL || worth == NULL || arm == NULL) return SOTTO_E_ARGUMENT;
    if (!worths_fit(worth, round->terms.spec.arms)) return SOTTO_E_FAULT;
    if (round->terms.spec.measure > 0) return SOTTO_E_FAULT; /* worths do not maximise its means */
    if (round->model->shares != NULL) return SOTTO_E_FAULT;  /* best-arm has no worths */
    sotto_status status = take_context(round, context, context_count);
    if (status != SOTTO_OK) return status;
    round->arm = sotto__decide_worth(&round->terms, round->model, round->door.nonce, round->context,
                                     worth, round->scratch);
    return end_decision(round, arm);
}

sotto_status sotto_round_decide_worth(sotto_round *round, const double *context,
                                      uint32_t context_count, const double *worth, uint32_t *arm)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(sotto__round_decide_worth)(round, context, context_count, worth, arm);
}

/* theta_h from `row` on, for the methods that have it. */
static const double *online_estimate(const sotto_model *model, size_t row)
{
    return model->theta_h == NULL ? NULL : model->theta_h + row;
}

/* The score of a round without a context, into round->v. */
static void score_reward(sotto_round *round, double reward)
{
    const sotto_spec *spec = &round->terms.spec;
    sotto__scored scored = {.spec = spec, .reward = sotto__clip_reward(spec, reward)};
    sotto__score_reward(&scored, round->v);
    sotto__wipe(&scored, sizeof scored);
}

/* The score of the chosen arm, into round->v. */
static void score_round(sotto_round *round, double reward)
{
    const sotto_spec *spec = &round->terms.spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    size_t row = (size_t)round->arm * spec->dim;
    sotto__scored scored = {
        .spec = spec,
        .along_weight = round->terms.along_weight,
        .x = shared ? round->context + row : round->context,
        .reward = sotto__clip_reward(spec, reward),
        .theta = shared ? round->model->theta : round->model->theta + row,
        .online = online_estimate(round->model, shared ? 0 : row),
        .decide = shared ? sotto__deciding_estimate(round->model) : NULL,
    };
    bool mean = round->door.phase == SOTTO_PHASE_MEAN;
    (mean ? sotto__score_mean : round->score)(&scored, round->v);
    sotto__wipe(&scored, sizeof scored);
}

/* Into round->report: the score of a learn round, the reward of a measure round and of best-arm. */
static sotto_status release(sotto_round *round, double reward, sotto__door_work *work)
{
    sotto_rng *rng = round->client->rng;
    bool learns = round->role == SOTTO_ROLE_LEARN;
    if (learns && !sotto__method_of(&round->terms.spec)->one_for_all) {
        score_round(round, reward);
        return sotto__privatise(&round->door, round->v, round->arm, rng, work, round->report);
    }
    score_reward(round, reward);
    return sotto__privatise_reward(&round->door, round->v[0], rng, work, round->report);
}

/* Makes the report of a reward, into round->frame. */
static sotto_status make_report(sotto_round *round, double reward, sotto__door_work *work)
{
    sotto_status status = release(round, reward, work);
    if (status != SOTTO_OK) return status;
    return sotto_report_encode(&round->terms, round->report, round->frame, round->frame_bytes);
}

/* The arm is chosen. A held round keeps the report of the default reward before anybody learns the
 * arm. */
static sotto_status end_decision(sotto_round *round, uint32_t *arm)
{
    sotto_ledger *ledger = round->client->ledger;
    sotto_status status = SOTTO_OK;
    /* Checked here, because nothing after this branches on the arm. */
    assert(round->arm < round->terms.spec.arms);
    if (round->held) status = make_report(round, NAN, &round->work);
    if (round->held && status == SOTTO_OK) {
        status = ledger->hold(ledger, round->entry, round->frame, round->frame_bytes);
    }
    if (status != SOTTO_OK) {
        forget_secret(round);
        round->state = IDLE; /* spent */
        return status;
    }
    round->state = DECIDED;
    *arm = round->arm;
    return SOTTO_OK;
}

sotto_status sotto__round_finish(sotto_round *round, double reward, uint8_t *frame,
                                 size_t capacity_bytes)
{
    if (round == NULL || frame == NULL) return SOTTO_E_ARGUMENT;
    if (round->state == PLAYED) {
        round->state = IDLE; /* it has ended */
        return SOTTO_E_SERVED;
    }
    if (round->state != DECIDED) return SOTTO_E_ORDER;
    if (capacity_bytes < round->frame_bytes) return SOTTO_E_LENGTH;
    sotto_ledger *ledger = round->client->ledger;

    sotto_status status = make_report(round, reward, round->held ? &round->spare : &round->work);
    forget_secret(round);
    round->state = IDLE; /* spent, whatever happens below */
    if (status != SOTTO_OK) return status;
    status = (round->held ? ledger->replace : ledger->record)(ledger, round->entry, round->frame,
                                                              round->frame_bytes);
    if (status != SOTTO_OK) return status;
    round->state = FINISHED;
    memcpy(frame, round->frame, round->frame_bytes);
    return SOTTO_OK;
}

sotto_status sotto_round_finish(sotto_round *round, double reward, uint8_t *frame,
                                size_t capacity_bytes)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(sotto__round_finish)(round, reward, frame, capacity_bytes);
}

sotto_status sotto_round_resend(const sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    if (round == NULL || frame == NULL) return SOTTO_E_ARGUMENT;
    if (round->state != FINISHED) return SOTTO_E_ORDER;
    if (capacity_bytes < round->frame_bytes) return SOTTO_E_LENGTH;
    memcpy(frame, round->frame, round->frame_bytes);
    return SOTTO_OK;
}

/* Whether the ledger has a report of this handle's round. A recalled report has no number here. */
static bool has_report(const sotto_round *round)
{
    bool held = round->state == DECIDED && round->held;
    return held || (round->state == FINISHED && round->entry != 0);
}

static sotto_status round_seal(sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    if (round == NULL || frame == NULL) return SOTTO_E_ARGUMENT;
    if (!has_report(round)) return SOTTO_E_ORDER;
    sotto_ledger *ledger = round->client->ledger;
    if (capacity_bytes < round->frame_bytes) return SOTTO_E_LENGTH;
    sotto_status status = ledger->seal(ledger, round->entry, frame, round->frame_bytes);
    if (status != SOTTO_OK) return status;
    if (round->state == DECIDED) forget_secret(round);
    round->state = FINISHED;
    memcpy(round->frame, frame, round->frame_bytes);
    return SOTTO_OK;
}

sotto_status sotto_round_seal(sotto_round *round, uint8_t *frame, size_t capacity_bytes)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(round_seal)(round, frame, capacity_bytes);
}

static sotto_status round_acknowledge(sotto_round *round)
{
    if (round == NULL) return SOTTO_E_ARGUMENT;
    if (!has_report(round)) return SOTTO_E_ORDER;
    return round->client->ledger->acknowledge(round->client->ledger, round->entry);
}

sotto_status sotto_round_acknowledge(sotto_round *round)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(round_acknowledge)(round);
}

/* ==== rounds ================================================================================= */

/* Rounds of many people in one call, for languages in which calls are expensive. */

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
