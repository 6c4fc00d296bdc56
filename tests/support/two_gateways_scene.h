/* Two gateways, a publisher and two experiments, for tests of what several gateways wrote. */
#ifndef TWO_GATEWAYS_SCENE_H
#define TWO_GATEWAYS_SCENE_H

#include "postgres_scene.h"

static sottod_journal *one, *two;
static sottod_folding *folding;

static inline int start(void **state)
{
    scene_fresh(state);
    one = scene_gateway();
    two = scene_gateway();
    folding = scene_publisher();
    scene_experiment(one, "one");
    scene_experiment(one, "two");
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    if (one != NULL) one->table->close(one); /* NULL: the test ended it */
    two->table->close(two);
    folding_free(folding);
    return 0;
}

#endif
