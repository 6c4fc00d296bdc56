#include "core/core.h"
#include "fleet.h"
#include "inner.h"
#include "lab/environment/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== place ================================================================================== */

/* Where an experiment is. */

static const char route[] = "/v1/experiments/";

bool sotto__place_is_whole(const char *url)
{
    return strstr(url, "/v1/experiments") != NULL;
}

sotto_status sotto__place_join(const char *field, const char *server, const char *id,
                               sotto__url *out, sotto_fault *fault)
{
    char whole[SOTTO__URL_BYTES_MAX + 2];
    size_t bytes = strlen(server);
    if (bytes > 0 && server[bytes - 1] == '/') bytes--;
    if (strlen(id) != SOTTO__ID_CHARS || strspn(id, "0123456789abcdef") != SOTTO__ID_CHARS) {
        return sotto__fault_at(fault, "experiment",
                               "%.100s: allowed 32 lower-case hexadecimal digits", id);
    }
    if (bytes > SOTTO__URL_BYTES_MAX)
        bytes = SOTTO__URL_BYTES_MAX + 1; /* too long: the check of the URL reports it */
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)bytes, server, route, id);
    if (sotto__url_fault(field, whole, out, NULL) == SOTTO_OK) return SOTTO_OK;
    return sotto__fault_at(fault, field,
                           ": allowed https://HOST[:PORT][/PATH], and http:// to this machine "
                           "(127.0.0.0/8, [::1], localhost)");
}

void sotto__place_id(const sotto__url *url, char id[SOTTO__ID_CHARS + 1])
{
    snprintf(id, SOTTO__ID_CHARS + 1, "%s", url->text + strlen(url->text) - SOTTO__ID_CHARS);
}

/* ==== sight ================================================================================== */

/* The state of a run at one moment. */

sotto__pace sotto__pace_between(const sotto__sight *before, const sotto__sight *after)
{
    sotto__latency latency = sotto__latency_between(&before->latency, &after->latency);
    double people = (double)(after->people - before->people);
    double reports = (double)(after->sent.acknowledged - before->sent.acknowledged);
    double seconds = after->seconds - before->seconds;
    return (sotto__pace){
        .seconds = seconds,
        .people_per_s = seconds > 0 ? people / seconds : 0,
        .reports_per_s = seconds > 0 ? reports / seconds : 0,
        .regret = people > 0 ? (after->regret - before->regret) / people : NAN,
        .regret_random = people > 0 ? (after->regret_random - before->regret_random) / people : NAN,
        .p50_ms = 1e3 * sotto__latency_at(&latency, 0.5),
        .p90_ms = 1e3 * sotto__latency_at(&latency, 0.9),
        .p99_ms = 1e3 * sotto__latency_at(&latency, 0.99),
    };
}

/* ==== crowd ================================================================================== */

/*
 * Honest people. A person plays the whole round at once, because no step of it waits for the
 * server. Then the device waits until the report is due, and for an answer.
 */

typedef struct person person;
struct person {
    sotto__crowd *crowd;
    sotto_ledger *ledger;
    sotto_device *device;
    sotto__played played;
    person *next; /* in the list of idle or gone people */
};

struct sotto__crowd {
    sotto__fleet_stage stage;
    person *all, *idle, *gone;
    uint32_t at_once;
};

/* Called within a turn of the wire, during which no device may be freed. People who are done go to
 * the list `gone`, which sotto__crowd_part() empties. */
static void hear(void *state, const sotto_device_event *event)
{
    person *self = state;
    const sotto__fleet_stage *stage = &self->crowd->stage;
    switch (event->kind) {
    case SOTTO_DEVICE_SENT: sotto__stage_sent(stage, &self->played); return;
    case SOTTO_DEVICE_PUT_OFF: sotto__stage_put_off(stage, event->why); return;
    case SOTTO_DEVICE_ACKNOWLEDGED:
        sotto__stage_acknowledged(stage, &self->played, event->frame, event->frame_bytes);
        break;
    case SOTTO_DEVICE_DROPPED: sotto__stage_dropped(stage, event->why); break;
    }
    self->next = self->crowd->gone;
    self->crowd->gone = self;
}

static void forget(person *self)
{
    sotto_device_free(self->device);
    sotto_ledger_free(self->ledger);
    self->device = NULL;
    self->ledger = NULL;
}

static sotto_status take_part(person *self)
{
    sotto_device_options options = sotto_device_options_default();
    sotto_status status = sotto_ledger_memory_new(&self->ledger);
    if (status != SOTTO_OK) return status;
    options.policy = *self->crowd->stage.policy;
    options.ledger = self->ledger;
    options.rounds_max = 1;
    options.queue_max = 1;
    options.event = hear;
    options.state = self;
    return sotto_device_new(self->crowd->stage.site, &options, &self->device);
}

static sotto_status play(person *self, bool missing)
{
    const sotto__fleet_stage *stage = &self->crowd->stage;
    uint64_t round;
    uint32_t arm;
    sotto_status status = sotto_device_begin(self->device, &round);
    if (status != SOTTO_OK) return status;
    status = sotto_device_decide(self->device, round, stage->world->context,
                                 sotto__stage_context_count(stage), &arm);
    if (status != SOTTO_OK) return status;
    double reward = missing ? NAN : sotto__world_reward(stage->world, arm);
    if (!missing) status = sotto_device_finish(self->device, round, reward);
    if (status != SOTTO_OK) return status;
    sotto__stage_play(stage, arm, reward, &self->played);
    stage->sight->missing += missing;
    if (sotto_device_counts_of(self->device).served > 0) sotto__stage_served(stage);
    return SOTTO_OK;
}

sotto_status sotto__crowd_add(sotto__crowd *crowd, bool missing)
{
    person *self = crowd->idle;
    if (self == NULL) return SOTTO_E_FULL;
    sotto_status status = take_part(self);
    if (status == SOTTO_OK) status = play(self, missing);
    if (status != SOTTO_OK) {
        forget(self);
        return status;
    }
    crowd->idle = self->next;
    if (sotto_device_counts_of(self->device).served > 0) { /* a served round sends no report */
        self->next = crowd->gone;
        crowd->gone = self;
    }
    return SOTTO_OK;
}

void sotto__crowd_part(sotto__crowd *crowd)
{
    while (crowd->gone != NULL) {
        person *self = crowd->gone;
        crowd->gone = self->next;
        sotto_device_counts counts = sotto_device_counts_of(self->device);
        crowd->stage.sight->sent_default += counts.acknowledged > 0 ? counts.sent_default : 0;
        forget(self);
        self->next = crowd->idle;
        crowd->idle = self;
    }
}

void sotto__crowd_free(sotto__crowd *crowd)
{
    if (crowd == NULL) return;
    for (uint32_t i = 0; crowd->all != NULL && i < crowd->at_once; i++) {
        forget(&crowd->all[i]);
    }
    free(crowd->all);
    free(crowd);
}

sotto_status sotto__crowd_new(const sotto__fleet_stage *stage, uint32_t at_once, sotto__crowd **out)
{
    *out = NULL;
    sotto__crowd *crowd = calloc(1, sizeof *crowd);
    if (crowd == NULL) return SOTTO_E_MEMORY;
    crowd->stage = *stage;
    crowd->at_once = at_once;
    crowd->all = calloc(at_once, sizeof crowd->all[0]);
    if (crowd->all == NULL) {
        sotto__crowd_free(crowd);
        return SOTTO_E_MEMORY;
    }
    for (uint32_t i = 0; i < at_once; i++) {
        crowd->all[i].crowd = crowd;
        crowd->all[i].next = i + 1 < at_once ? &crowd->all[i + 1] : NULL;
    }
    crowd->idle = crowd->all;
    *out = crowd;
    return SOTTO_OK;
}

/* ==== match ================================================================================== */

/* Makes a world of the lab from the terms of an experiment. */

sotto_match sotto__fleet_match(const sotto_terms *terms, sotto_environment_kind environment,
                               const sotto_population *population, uint64_t people)
{
    const sotto_spec *spec = &terms->spec;
    sotto_scene scene = {
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .link = spec->link,
        .reward_kind = spec->reward_kind,
        .environment = environment,
        .horizon = people,
        .population = population,
    };
    sotto_match match = sotto_match_default((sotto_player)spec->method, SOTTO_CALIBRATION_EXACT,
                                            &scene, spec->epsilon, spec->delta);
    match.spec = *spec;
    return match;
}

/* Refuses worlds whose contexts are longer than the terms allow: devices scale such contexts down,
 * and rewards would no longer follow theta* of the world. */
static sotto_status length_fault(const sotto_match *match, sotto_fault *fault)
{
    double longest = sotto__environment_of(match->environment.kind)->context_norm_max(&match->spec);
    if (longest <= match->spec.context_norm_max * (1 + 1e-12)) return SOTTO_OK;
    return sotto__fault_at(fault, "context_norm_max",
                           "%.6g: its contexts are up to %.6g long, and devices would scale them "
                           "down",
                           match->spec.context_norm_max, longest);
}

sotto_status sotto__fleet_match_fault(const sotto_match *match, sotto_fault *fault)
{
    sotto_match playable = *match;
    sotto_status status = SOTTO_OK;
    if (sotto_match_set_learning(&playable) == SOTTO_OK) {
        /* The server decides how long epochs are and how late reports may be. */
        playable.learning.epoch = 0, playable.spec.epoch_lag_max = 0;
        status = sotto_match_fault(&playable, fault);
    } else {
        status = sotto__refuse(fault, "the lab cannot play these terms");
    }
    if (status == SOTTO_OK) status = length_fault(match, fault);
    if (status == SOTTO_OK) return SOTTO_OK;
    return sotto__fault_within(fault, "environment %s does not fit the terms: ",
                               sotto_environment_kind_name(match->environment.kind));
}
