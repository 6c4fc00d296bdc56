
#include "fleet/fleet.h"
#include "fleet/inner.h"
#include "lab/environment/environment.h"
#include "stages.h"
#include "test.h"

OWNED(sotto__world, sotto__world_free)
OWNED(sotto__crowd, sotto__crowd_free)

static sotto_status add(stage_scene *scene, sotto__crowd *crowd, bool missing)
{
    sotto__world_next(scene->stage.world);
    return sotto__crowd_add(crowd, missing);
}

TEST(one_too_many_is_refused_and_nobody_has_come)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto__crowd) crowd;
    stage_scene_open(&scene, 0);
    assert_ok(sotto__crowd_new(&scene.stage, 2, &crowd));
    assert_ok(add(&scene, crowd, false));
    assert_ok(add(&scene, crowd, false));
    assert_status(add(&scene, crowd, false), SOTTO_E_FULL);
    assert_int_equal(scene.sight.people, 2);
    stage_scene_settle(&scene);
    sotto__crowd_part(crowd);
    assert_ok(add(&scene, crowd, false)); /* their places are free again */
}

TEST(a_policy_that_refuses_lets_nobody_in)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto__crowd) crowd;
    stage_scene_open(&scene, 0.5);
    scene.policy.measure_share_max = 0.1;
    assert_ok(sotto__crowd_new(&scene.stage, 2, &crowd));
    assert_status(add(&scene, crowd, false), SOTTO_E_POLICY);
    assert_ints(scene.sight.people, 0, scene.sight.under_way, 0);
}

TEST(reports_that_a_closed_experiment_refuses_are_dropped)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto__crowd) crowd;
    stage_scene_open(&scene, 0);
    site_server_set_posts(scene.server, 410);
    assert_ok(sotto__crowd_new(&scene.stage, 10, &crowd));
    for (uint32_t i = 0; i < 5; i++) {
        assert_ok(add(&scene, crowd, false));
    }
    stage_scene_settle(&scene);
    sotto__crowd_part(crowd);
    assert_ints(scene.sight.dropped, 5, scene.sight.sent.acknowledged, 0);
    assert_int_equal(scene.sight.sent_default, 0);
    assert_true(scene.sight.trouble[0] != '\0');
}

TEST(those_under_way_may_be_freed)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto__crowd) crowd;
    stage_scene_open(&scene, 0);
    site_server_set_posts(scene.server, 503);
    assert_ok(sotto__crowd_new(&scene.stage, 10, &crowd));
    for (uint32_t i = 0; i < 10; i++) {
        assert_ok(add(&scene, crowd, i % 2 == 0));
    }
    for (uint32_t i = 0; i < 20; i++) {
        assert_ok(sotto_wire_turn(scene.stage.wire, 10));
        sotto__crowd_part(crowd);
    }
    assert_int_equal(scene.sight.under_way, 10);
    assert_true(scene.sight.put_off > 0);
}

TEST(everybody_sends_one_report_with_a_reward_or_without)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto__crowd) crowd;
    uint8_t one[100], other[100];
    size_t bytes;
    stage_scene_open(&scene, 0.1);
    bytes = sotto_report_bytes(&scene.terms);
    assert_ok(sotto__crowd_new(&scene.stage, 100, &crowd));
    for (uint32_t i = 0; i < 100; i++) {
        assert_ok(add(&scene, crowd, i % 4 == 0));
    }
    stage_scene_settle(&scene);
    sotto__crowd_part(crowd);
    assert_ints(site_server_reports(scene.server), 100, scene.sight.sent.acknowledged, 100);
    assert_ints(scene.sight.sent.once, 100, scene.sight.sent.all, 100, scene.sight.missing, 25);
    assert_ints(scene.sight.sent_default, 25, scene.sight.latency.count, 100);
    site_server_report(scene.server, 0, one);
    site_server_report(scene.server, 1, other);
    assert_true(memcmp(one, other, bytes) != 0); /* nonces are the system's */
}

TEST(a_report_that_is_dropped_is_told_with_its_reason)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    sotto__played played;
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    sotto__stage_put_off(&scene.stage, "not now");
    assert_ints(scene.sight.put_off, 1, scene.sight.under_way, 1);
    assert_string_equal(scene.sight.trouble, "not now");
    sotto__stage_dropped(&scene.stage, NULL);
    assert_ints(scene.sight.dropped, 1, scene.sight.under_way, 0);
    assert_string_equal(scene.sight.trouble, "");
}

TEST(an_acknowledged_frame_that_is_no_report_is_trouble)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    sotto__played played;
    const uint8_t frame[42] = {0};
    stage_scene_open(&scene, 0.5);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    assert_true(played.followed);
    sotto__stage_acknowledged(&scene.stage, &played, frame, sizeof frame);
    assert_true(scene.sight.trouble[0] != '\0');
}

TEST(regret_is_that_of_the_arm_beside_a_random_one)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    sotto__played played;
    stage_scene_open(&scene, 0);
    const sotto__world *world = scene.stage.world;
    double regret = 0, random = 0;
    for (uint32_t i = 0; i < 100; i++) {
        sotto__world_next(scene.stage.world);
        double best = fmax(world->mean[0], fmax(world->mean[1], world->mean[2]));
        sotto__stage_play(&scene.stage, i % 3, 1, &played);
        regret += best - world->mean[i % 3];
        random += best - (world->mean[0] + world->mean[1] + world->mean[2]) / 3;
    }
    assert_int_equal(scene.sight.people, 100);
    assert_nears(1e-9, scene.sight.regret, regret, scene.sight.regret_random, random);
    assert_true(random > 1);
}

TEST(rewards_are_clipped_and_those_that_never_came_are_the_default)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    sotto__played played;
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 7, &played);
    assert_true(played.reward == 1);
    assert_false(played.followed); /* there is no measure round */
    sotto__stage_play(&scene.stage, 0, NAN, &played);
    assert_true(played.reward == scene.terms.spec.reward_default);
    assert_int_equal(sotto__stage_context_count(&scene.stage), 6);
}

TEST(a_report_counts_once_however_often_it_leaves)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    sotto__played played;
    const uint8_t frame[42] = {0};
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    for (uint32_t i = 0; i < 3; i++) {
        sotto__stage_sent(&scene.stage, &played);
    }
    sotto__stage_acknowledged(&scene.stage, &played, frame, sizeof frame);
    assert_ints(scene.sight.sent.once, 1, scene.sight.sent.all, 3);
    assert_ints(scene.sight.sent.acknowledged, 1, scene.sight.latency.count, 1);
    assert_true(sotto__latency_at(&scene.sight.latency, 1) < 1);
}

static void assert_fault(const sotto_match *match, const char *environment, const char *field)
{
    sotto_fault fault;
    assert_status(sotto__fleet_match_fault(match, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, environment) == NULL || strstr(fault.sentence, field) == NULL) {
        fail_msg("\"%s\" does not name %s and %s", fault.sentence, environment, field);
    }
}

static sotto_match match_for(sotto_spec spec, sotto_environment_kind environment)
{
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return sotto__fleet_match(&terms, environment, NULL, 1000);
}

TEST(an_environment_that_does_not_fit_is_named_with_the_term)
{
    sotto_spec spec = stage_terms(0).spec;
    sotto_match match = match_for(spec, SOTTO_ENVIRONMENT_GAUSSIAN);
    assert_fault(&match, "gaussian", "context_norm_max = 1");
    match = match_for(spec, SOTTO_ENVIRONMENT_LOAN);
    assert_fault(&match, "loan", "loan");
    match = match_for(spec, SOTTO_ENVIRONMENT_SPHERE);
    match.environment.theta_norm = 2;
    assert_fault(&match, "sphere", "theta_norm = 2");
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    match = match_for(spec, SOTTO_ENVIRONMENT_MARGIN);
    assert_fault(&match, "margin", "parameters = per-arm");
    match = match_for(spec, SOTTO_ENVIRONMENT_PUBLISHED);
    assert_fault(&match, "published", "context_norm_max");
}

TEST(rewards_that_the_range_cuts_off_do_not_fit)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.arms = 3;
    spec.reward_lo = 0;
    sotto_match match = match_for(spec, SOTTO_ENVIRONMENT_SPHERE);
    assert_fault(&match, "sphere", "reward_lo, reward_hi = 0, 1");
}

TEST(those_that_fit_have_no_fault)
{
    static const sotto_environment_kind kinds[] = {
        SOTTO_ENVIRONMENT_SPHERE, SOTTO_ENVIRONMENT_BALL, SOTTO_ENVIRONMENT_ANISOTROPIC,
        SOTTO_ENVIRONMENT_DRIFT, SOTTO_ENVIRONMENT_PUBLISHED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        sotto_match match = match_for(stage_terms(0.1).spec, kinds[i]);
        match.horizon = SOTTO_HORIZON_MAX; /* any number of people */
        sotto_fault fault;
        if (sotto__fleet_match_fault(&match, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    }
}

/* A service learns from late reports whenever they come. */
TEST(two_people_may_come_to_an_experiment_with_late_reports)
{
    sotto_terms terms = stage_terms(0);
    terms.spec.epoch_lag_max = 8;
    sotto_match match = sotto__fleet_match(&terms, SOTTO_ENVIRONMENT_SPHERE, NULL, 2);
    assert_ok(sotto__fleet_match_fault(&match, NULL));
    assert_int_equal(match.spec.epoch_lag_max, 8);
}

/* As `sotto simulate` makes its match: by the scene, not by terms. */
TEST(the_people_are_those_of_a_simulation_with_the_same_seed)
{
    sotto_terms terms = stage_terms(0);
    const sotto_scene scene = {.dim = 2,
                               .arms = 3,
                               .link = SOTTO_LINK_LOGIT,
                               .reward_kind = SOTTO_REWARD_BINARY,
                               .environment = SOTTO_ENVIRONMENT_BALL,
                               .horizon = 1000};
    sotto_match simulated =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 0.5, 1e-6);
    sotto_match match = sotto__fleet_match(&terms, SOTTO_ENVIRONMENT_BALL, NULL, 1000);
    OWN(sotto__world) one, *other;
    assert_ok(sotto__world_new(&simulated, 7, &one));
    assert_ok(sotto__world_new(&match, 7, &other));
    for (uint32_t i = 0; i < 1000; i++) {
        sotto__world_next(one);
        sotto__world_next(other);
        assert_memory_equal(one->context, other->context, 6 * sizeof(double));
        for (uint32_t a = 0; a < 3; a++) {
            assert_true(sotto__world_reward(one, a) == sotto__world_reward(other, a));
        }
    }
}
