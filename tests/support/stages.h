/* A scene for the people of a fleet: a server in a thread, a wire, a site with a model, and a
 * world. */
#ifndef SOTTO_STAGES_H
#define SOTTO_STAGES_H

#include "fleet/inner.h"
#include "site_server.h"

typedef struct stage_scene {
    sotto_terms terms;
    sotto_match match;
    sotto_policy policy;
    site_server *server;
    sotto_model *model; /* as the server serves it */
    sotto__sight sight;
    sotto__fleet_stage stage;
} stage_scene;

/* 2 numbers, 3 arms, binary rewards by logit, sent at once; `measure` is the share of measure rounds. The model
 * decides. */
sotto_terms stage_terms(double measure);
void stage_scene_open(stage_scene *scene, double measure);
void stage_scene_close(stage_scene *scene);
/* Runs turns until no one is busy, for ten seconds at most. */
void stage_scene_settle(stage_scene *scene);

#endif
