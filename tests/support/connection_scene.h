/* One connection to a fresh database, for tests of single tables. */
#ifndef CONNECTION_SCENE_H
#define CONNECTION_SCENE_H

#include "postgres_scene.h"
#include "service/store/postgres/inner.h"

static postgres_connection one;

static inline int start(void **state)
{
    bool is_new;
    scene_fresh(state);
    const postgres_settings settings = scene_settings();
    assert_true(postgres__init(&one, &settings));
    if (!postgres__session(&one, true, &is_new)) fail_msg("%s", one.fault);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    postgres__end(&one);
    return 0;
}

#endif
