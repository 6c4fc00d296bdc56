/* The parts of a learner in the order of its bytes. */
#ifndef SOTTO_LEARNER_PARTS_H
#define SOTTO_LEARNER_PARTS_H

#include "core/method.h"
#include "learner.h"

/* Measured pairs: follow, recent follow, recent control, and control of each arm. */
static inline uint32_t sotto__learner_pairs(const sotto_learner *learner)
{
    return learner->terms.spec.measure > 0 ? 3 + learner->terms.spec.arms : 0;
}

static inline sotto__measured *sotto__learner_pair(const sotto_learner *learner, uint32_t i)
{
    sotto__measures *measures = (sotto__measures *)&learner->measures;
    sotto__measured *const first[] = {&measures->follow, &measures->recent_follow,
                                      &measures->recent_control};
    return i < 3 ? first[i] : &measures->control_arm[i - 3];
}

/* How many epochs before the current one are open. */
static inline uint32_t sotto__learner_late(const sotto_learner *learner)
{
    uint32_t current = learner->model->epoch, lag = learner->open_count - 1;
    return current < lag ? current : lag;
}

/* The open epoch of so many before the current one. */
static inline sotto__open_epoch *sotto__learner_open(const sotto_learner *learner, uint32_t back)
{
    return &learner->open[(learner->model->epoch - back) % learner->open_count];
}

/* Numbers of an open epoch's theta_h. */
static inline uint32_t sotto__learner_online(const sotto_learner *learner)
{
    const sotto_spec *spec = &learner->terms.spec;
    return learner->model->theta_h != NULL ? sotto__parameter_count(spec) : 0;
}

#endif
