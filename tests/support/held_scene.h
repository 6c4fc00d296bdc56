/* A gateway, a publisher and two experiments, for tests of epochs that are held. */
#ifndef HELD_SCENE_H
#define HELD_SCENE_H

#include "gateway_scene.h"

static inline int held_start(void **state)
{
    start(state);
    scene_experiment(gateway, "two");
    return 0;
}

static inline bool hold(uint32_t experiment, uint32_t epoch)
{
    bool fenced;
    const journal_held held = {
        .experiment = experiment, .epoch = epoch, .alarms = 17, .reports = 500};
    assert_folded(folding, folding_hold(folding, &held, &fenced));
    return !fenced;
}

static inline bool decide(uint32_t experiment, uint32_t epoch, journal_kind decision)
{
    bool held = false;
    assert_done(gateway, gateway->table->begin(gateway));
    assert_done(gateway, gateway->table->decide(gateway, experiment, epoch, decision, &held));
    assert_done(gateway, gateway->table->commit(gateway));
    return held;
}

/* Publishes the next model of an experiment. */
static inline bool publish(uint32_t experiment, uint32_t epoch, journal_kind kind,
                           journal_kind decided)
{
    bool fenced;
    const folding_model model = {.experiment = experiment,
                                 .epoch = epoch,
                                 .kind = kind,
                                 .decided = decided,
                                 .learner = {(const uint8_t *)"x", 1}};
    const journal_history history = {.experiment = experiment, .epoch = epoch};
    assert_folded(folding, folding_publish(folding, &model, &history, false, &fenced));
    return !fenced;
}

static inline bool take_held(void *self, const journal_held *held)
{
    scene_text *out = self;
    size_t length = strlen(out->text);
    snprintf(out->text + length, sizeof out->text - length, "%u:%u:%u:%llu:%u ", held->experiment,
             held->epoch, held->alarms, (unsigned long long)held->reports,
             (unsigned)held->decision);
    return true;
}

static inline scene_text all_held(void)
{
    scene_text out = {.text = ""};
    assert_folded(folding, folding_read_held(folding, take_held, &out));
    return out;
}

#endif
