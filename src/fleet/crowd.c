/*
 * Honest people. A person plays their whole round at once, since nothing in it waits for a server; then the device
 * waits for the time of its report, and for an answer.
 */
#include "crowd.h"

#include <math.h>
#include <stdlib.h>

typedef struct person person;
struct person {
    sotto__crowd *crowd;
    sotto_ledger *ledger;
    sotto_device *device;
    sotto__played played;
    person *next; /* of those who are free, or gone */
};

struct sotto__crowd {
    sotto__stage stage;
    person *all, *idle, *gone;
    uint32_t at_once;
};

/* Told from within a turn, in which no device may be freed. */
static void hear(void *state, const sotto_device_event *event)
{
    person *self = state;
    const sotto__stage *stage = &self->crowd->stage;
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
    const sotto__stage *stage = &self->crowd->stage;
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
    if (sotto_device_counts_of(self->device).served > 0) { /* nothing of theirs is under way */
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

sotto_status sotto__crowd_new(const sotto__stage *stage, uint32_t at_once, sotto__crowd **out)
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
