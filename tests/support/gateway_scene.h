/* A gateway, a publisher and an experiment, for tests of the journal in PostgreSQL. */
#ifndef GATEWAY_SCENE_H
#define GATEWAY_SCENE_H

#include "postgres_scene.h"

static sottod_journal *gateway;
static sottod_folding *folding;

static inline int start(void **state)
{
    scene_fresh(state);
    gateway = scene_gateway();
    folding = scene_publisher();
    scene_experiment(gateway, "one");
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    gateway->table->close(gateway);
    folding_free(folding);
    return 0;
}

#endif
