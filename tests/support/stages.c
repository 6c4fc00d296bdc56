/* A scene for the people of a fleet. */
#include "stages.h"
#include "fleet/fleet.h"
#include "lab/environment/environment.h"
#include "test.h"

#include <math.h>

#define TURNS_MAX 10000

sotto_terms stage_terms(double measure)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = 2;
    spec.arms = 3;
    spec.link = SOTTO_LINK_LOGIT;
    spec.epoch_lag_max = 2;
    spec.reward_window_s = spec.send_spread_s = 0;
    spec.measure = (uint32_t)rint(measure * 0x1p32);
    sotto_terms terms = resolved(&spec);
    return terms;
}

void stage_scene_open(stage_scene *scene, double measure)
{
    *scene = (stage_scene){.terms = stage_terms(measure), .policy = sotto_policy_default()};
    scene->policy.measure_share_max = 0.5;
    scene->match = sotto__fleet_match(&scene->terms, SOTTO_ENVIRONMENT_SPHERE, NULL, 1000);
    scene->server = site_server_start(&scene->terms);
    assert_ok(sotto_model_new(&scene->terms, &scene->model));
    scene->model->phase = SOTTO_PHASE_MAIN;
    scene->model->epoch = 1;
    scene->model->reports = 100;
    scene->model->theta[0] = 0.5;
    if (scene->model->tbar != NULL) scene->model->tbar[0] = 0.5;
    site_server_set_model(scene->server, scene->model);

    sotto__fleet_stage *stage = &scene->stage;
    sotto_wire_options wire = sotto_wire_options_default();
    sotto_site_options site = sotto_site_options_default();
    site.url = site_server_url(scene->server);
    site.refresh_ms = 10;
    assert_ok(sotto_wire_new(&wire, &stage->wire));
    assert_ok(sotto_site_new(stage->wire, &site, &stage->site));
    for (int i = 0; i < TURNS_MAX && sotto_site_state_of(stage->site) == SOTTO_SITE_ASKING; i++) {
        assert_ok(sotto_wire_turn(stage->wire, 10));
    }
    assert_int_equal(sotto_site_state_of(stage->site), SOTTO_SITE_READY);
    assert_ok(sotto__world_new(&scene->match, 1, &stage->world));
    assert_ok(sotto__policy_value_new(&scene->terms, &stage->value));
    stage->policy = &scene->policy;
    stage->sight = &scene->sight;
}

void stage_scene_close(stage_scene *scene)
{
    sotto__policy_value_free(scene->stage.value);
    sotto__world_free(scene->stage.world);
    sotto_site_free(scene->stage.site);
    sotto_wire_free(scene->stage.wire);
    site_server_stop(scene->server);
    sotto_model_free(scene->model);
}

void stage_scene_settle(stage_scene *scene)
{
    for (int i = 0; i < TURNS_MAX && scene->sight.under_way > 0; i++) {
        assert_ok(sotto_wire_turn(scene->stage.wire, 10));
    }
    assert_int_equal(scene->sight.under_way, 0);
}
