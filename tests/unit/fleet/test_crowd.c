#include "fleet/crowd.h"
#include "stages.h"
#include "test.h"

#include <string.h>

static sotto_status add(stage_scene *scene, sotto__crowd *crowd, bool missing)
{
    sotto__world_next(scene->stage.world);
    return sotto__crowd_add(crowd, missing);
}

static void one_too_many_is_refused_and_nobody_has_come(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__crowd *crowd;
    stage_scene_open(&scene, 0);
    assert_ok(sotto__crowd_new(&scene.stage, 2, &crowd));
    assert_ok(add(&scene, crowd, false));
    assert_ok(add(&scene, crowd, false));
    assert_status(add(&scene, crowd, false), SOTTO_E_FULL);
    assert_int_equal(scene.sight.people, 2);
    stage_scene_settle(&scene);
    sotto__crowd_part(crowd);
    assert_ok(add(&scene, crowd, false)); /* their places are free again */
    sotto__crowd_free(crowd);
    stage_scene_close(&scene);
}

static void a_policy_that_refuses_lets_nobody_in(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__crowd *crowd;
    stage_scene_open(&scene, 0.5);
    scene.policy.measure_share_max = 0.1;
    assert_ok(sotto__crowd_new(&scene.stage, 2, &crowd));
    assert_status(add(&scene, crowd, false), SOTTO_E_POLICY);
    assert_int_equal(scene.sight.people, 0);
    assert_int_equal(scene.sight.under_way, 0);
    sotto__crowd_free(crowd);
    stage_scene_close(&scene);
}

static void reports_that_a_closed_experiment_refuses_are_dropped(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__crowd *crowd;
    stage_scene_open(&scene, 0);
    site_server_set_posts(scene.server, 410);
    assert_ok(sotto__crowd_new(&scene.stage, 10, &crowd));
    for (uint32_t i = 0; i < 5; i++) {
        assert_ok(add(&scene, crowd, false));
    }
    stage_scene_settle(&scene);
    sotto__crowd_part(crowd);
    assert_int_equal(scene.sight.dropped, 5);
    assert_int_equal(scene.sight.sent.acknowledged, 0);
    assert_int_equal(scene.sight.sent_default, 0);
    assert_true(scene.sight.trouble[0] != '\0');
    sotto__crowd_free(crowd);
    stage_scene_close(&scene);
}

static void those_under_way_may_be_freed(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__crowd *crowd;
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
    sotto__crowd_free(crowd);
    stage_scene_close(&scene);
}

static void everybody_sends_one_report_with_a_reward_or_without(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__crowd *crowd;
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
    assert_int_equal(site_server_reports(scene.server), 100);
    assert_int_equal(scene.sight.sent.acknowledged, 100);
    assert_int_equal(scene.sight.sent.once, 100);
    assert_int_equal(scene.sight.sent.all, 100);
    assert_int_equal(scene.sight.missing, 25);
    assert_int_equal(scene.sight.sent_default, 25);
    assert_int_equal(scene.sight.latency.count, 100);
    site_server_report(scene.server, 0, one);
    site_server_report(scene.server, 1, other);
    assert_true(memcmp(one, other, bytes) != 0); /* nonces are the system's */
    sotto__crowd_free(crowd);
    stage_scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_too_many_is_refused_and_nobody_has_come),
        cmocka_unit_test(a_policy_that_refuses_lets_nobody_in),
        cmocka_unit_test(reports_that_a_closed_experiment_refuses_are_dropped),
        cmocka_unit_test(those_under_way_may_be_freed),
        cmocka_unit_test(everybody_sends_one_report_with_a_reward_or_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
