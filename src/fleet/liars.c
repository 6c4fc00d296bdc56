/*
 * Liars. They use the person's side up to the frame, and then the parcels of the transport
 * directly, because a device sends only frames that it made itself.
 */
#include "inner.h"

#include "core/core.h"
#include "lab/player/player.h"
#include "transport/transport.h"

#include <stdlib.h>
#include <string.h>

typedef struct lie lie;
struct lie {
    sotto__parcel parcel; /* first */
    sotto__liars *liars;
    sotto__played played;
    lie *next, *previous; /* in the list of all that wait */
    lie *next_gone;
    uint8_t frame[];
};

struct sotto__liars {
    sotto__fleet_stage stage;
    sotto__liar *liar;
    sotto_report *report;
    size_t frame_bytes;
    bool grinds; /* tries other nonces until one has the role learn */
    uint32_t at_once;
    bool alarms; /* at_once alarms of the wire are reserved */
    lie *waiting, *gone;
};

/* ---- the parcel --------------------------------------------------------------------------- */

static bool seal(sotto__parcel *parcel, uint8_t *frame)
{
    lie *self = (lie *)parcel;
    memcpy(frame, self->frame, self->liars->frame_bytes);
    sotto__stage_sent(&self->liars->stage, &self->played);
    return true;
}

static void go(lie *self)
{
    self->next_gone = self->liars->gone;
    self->liars->gone = self;
}

static void acknowledged(sotto__parcel *parcel)
{
    lie *self = (lie *)parcel;
    const sotto__liars *liars = self->liars;
    sotto__stage_acknowledged(&liars->stage, &self->played, self->frame, liars->frame_bytes);
    go(self);
}

static void put_off(sotto__parcel *parcel, const char *why)
{
    sotto__stage_put_off(&((lie *)parcel)->liars->stage, why);
}

static void drop(sotto__parcel *parcel, const char *why)
{
    lie *self = (lie *)parcel;
    sotto__stage_dropped(&self->liars->stage, why);
    go(self);
}

static const sotto__sender sender = {
    .seal = seal, .acknowledged = acknowledged, .put_off = put_off, .drop = drop};

/* ---- a person ----------------------------------------------------------------------------- */

bool sotto__liars_come(sotto__liars *liars)
{
    return sotto__liar_comes(liars->liar);
}

/* Replaces the honest frame by a forged one, if liars lie in its role. */
static sotto_status forge(sotto__liars *liars, uint8_t *frame)
{
    const sotto_terms *terms = sotto_site_terms(liars->stage.site);
    const sotto_model *model = sotto_site_model(liars->stage.site);
    sotto_status status = sotto_report_decode(terms, frame, liars->frame_bytes, liars->report);
    if (status != SOTTO_OK || model->phase == SOTTO_PHASE_MEAN) return status;
    bool followed = sotto__model_is_followed(&terms->spec, model);
    sotto_role role = sotto__role_of(terms, liars->report->nonce, followed);
    if (role != SOTTO_ROLE_LEARN && !liars->grinds) return SOTTO_OK;
    sotto__liar_forge(liars->liar, model, liars->report);
    return sotto_report_encode(terms, liars->report, frame, liars->frame_bytes);
}

/* A learn round under a fallback sends no report, so there is nothing to forge. */
static sotto_status play_served(const sotto__liars *liars, sotto_round *round, lie *self)
{
    const sotto__fleet_stage *stage = &liars->stage;
    uint32_t arm;
    sotto_status status =
        sotto_round_decide(round, stage->world->context, sotto__stage_context_count(stage), &arm);
    if (status != SOTTO_OK) return status;
    sotto__stage_play(stage, arm, sotto__world_reward(stage->world, arm), &self->played);
    sotto__stage_served(stage);
    return SOTTO_E_SERVED;
}

/* Plays the round like an honest person, then forges the report. *wait_ms is how long the report
 * must wait. SOTTO_E_SERVED: there is no report. */
static sotto_status play(sotto__liars *liars, sotto_round *round, lie *self, uint64_t *wait_ms)
{
    const sotto__fleet_stage *stage = &liars->stage;
    const sotto__clock *clock = &stage->wire->clock;
    uint64_t now_ms = clock->day_ms(clock->state), send_at_ms;
    uint32_t arm;
    sotto_status status = sotto_round_begin(round, sotto_site_model(stage->site));
    if (status == SOTTO_OK && !sotto_round_reports(round)) return play_served(liars, round, self);
    if (status == SOTTO_OK) status = sotto_round_hold_at(round, now_ms, &send_at_ms);
    if (status == SOTTO_OK) {
        status = sotto_round_decide(round, stage->world->context, sotto__stage_context_count(stage),
                                    &arm);
    }
    if (status != SOTTO_OK) return status;
    double reward = sotto__world_reward(stage->world, arm);
    status = sotto_round_finish(round, reward, self->frame, liars->frame_bytes);
    if (status == SOTTO_OK) status = forge(liars, self->frame);
    if (status != SOTTO_OK) return status;
    sotto__stage_play(stage, arm, reward, &self->played);
    *wait_ms = send_at_ms - now_ms;
    return SOTTO_OK;
}

static sotto_status take_part(sotto__liars *liars, lie *self, uint64_t *wait_ms)
{
    sotto_ledger *ledger = NULL;
    sotto_client *client = NULL;
    sotto_round *round = NULL;
    sotto_status status = sotto_ledger_memory_new(&ledger);
    if (status == SOTTO_OK) status = sotto_client_new(liars->stage.policy, ledger, &client);
    if (status == SOTTO_OK) {
        status = sotto_round_new(client, sotto_site_terms(liars->stage.site), &round);
    }
    if (status == SOTTO_OK) status = play(liars, round, self, wait_ms);
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
    return status;
}

static void add(lie *self)
{
    sotto__liars *liars = self->liars;
    self->previous = NULL;
    self->next = liars->waiting;
    if (self->next != NULL) self->next->previous = self;
    liars->waiting = self;
}

static void take_out(lie *self)
{
    *(self->previous == NULL ? &self->liars->waiting : &self->previous->next) = self->next;
    if (self->next != NULL) self->next->previous = self->previous;
}

sotto_status sotto__liars_add(sotto__liars *liars)
{
    uint64_t wait_ms = 0;
    lie *self = calloc(1, sizeof *self + liars->frame_bytes);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->liars = liars;
    sotto_status status = take_part(liars, self, &wait_ms);
    liars->stage.sight->liars += status == SOTTO_E_SERVED;
    if (status != SOTTO_OK) {
        free(self);
        return status == SOTTO_E_SERVED ? SOTTO_OK : status;
    }
    liars->stage.sight->liars++;
    add(self);
    sotto__parcel_make(&self->parcel, liars->stage.site, &sender, UINT64_MAX);
    sotto__parcel_send(&self->parcel, sotto__wire_now_ms(liars->stage.wire) + wait_ms);
    return SOTTO_OK;
}

void sotto__liars_part(sotto__liars *liars)
{
    while (liars->gone != NULL) {
        lie *self = liars->gone;
        liars->gone = self->next_gone;
        take_out(self);
        free(self);
    }
}

/* ---- made and freed ----------------------------------------------------------------------- */

void sotto__liars_free(sotto__liars *liars)
{
    if (liars == NULL) return;
    sotto__liars_part(liars);
    while (liars->waiting != NULL) {
        lie *self = liars->waiting;
        sotto__parcel_cancel(&self->parcel);
        take_out(self);
        free(self);
    }
    if (liars->alarms) sotto__wire_remove_alarms(liars->stage.wire, liars->at_once);
    sotto__liar_free(liars->liar);
    sotto_report_free(liars->report);
    free(liars);
}

sotto_status sotto__liars_new(const sotto__fleet_stage *stage, const sotto_match *match,
                              uint64_t seed, uint32_t at_once, sotto__liars **out)
{
    const sotto_terms *terms = sotto_site_terms(stage->site);
    *out = NULL;
    sotto__liars *liars = calloc(1, sizeof *liars);
    if (liars == NULL) return SOTTO_E_MEMORY;
    liars->stage = *stage;
    liars->frame_bytes = sotto_report_bytes(terms);
    liars->grinds = match->grind > 1;
    liars->at_once = at_once;
    sotto_status status = sotto__wire_add_alarms(stage->wire, at_once);
    liars->alarms = status == SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(terms, &liars->report);
    if (status == SOTTO_OK) {
        status = sotto__liar_new(match, terms, seed, stage->world, &liars->liar);
    }
    if (status != SOTTO_OK) {
        sotto__liars_free(liars);
        return status;
    }
    *out = liars;
    return SOTTO_OK;
}
