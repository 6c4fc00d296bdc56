#include "fleet/stage.h"
#include "stages.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void a_report_that_is_dropped_is_told_with_its_reason(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__played played;
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    sotto__stage_put_off(&scene.stage, "not now");
    assert_int_equal(scene.sight.put_off, 1);
    assert_int_equal(scene.sight.under_way, 1);
    assert_string_equal(scene.sight.trouble, "not now");
    sotto__stage_dropped(&scene.stage, NULL);
    assert_int_equal(scene.sight.dropped, 1);
    assert_int_equal(scene.sight.under_way, 0);
    assert_string_equal(scene.sight.trouble, "");
    stage_scene_close(&scene);
}

static void an_acknowledged_frame_that_is_no_report_is_trouble(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__played played;
    const uint8_t frame[42] = {0};
    stage_scene_open(&scene, 0.5);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    assert_true(played.followed);
    sotto__stage_acknowledged(&scene.stage, &played, frame, sizeof frame);
    assert_true(scene.sight.trouble[0] != '\0');
    stage_scene_close(&scene);
}

static void regret_is_that_of_the_arm_beside_a_random_one(void **state)
{
    (void)state;
    stage_scene scene;
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
    assert_near(scene.sight.regret, regret, 1e-9);
    assert_near(scene.sight.regret_random, random, 1e-9);
    assert_true(random > 1);
    stage_scene_close(&scene);
}

static void rewards_are_clipped_and_those_that_never_came_are_the_default(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__played played;
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 7, &played);
    assert_true(played.reward == 1);
    assert_false(played.followed); /* there is no measure round */
    sotto__stage_play(&scene.stage, 0, NAN, &played);
    assert_true(played.reward == scene.terms.spec.reward_default);
    assert_int_equal(sotto__stage_context_count(&scene.stage), 6);
    stage_scene_close(&scene);
}

static void a_report_counts_once_however_often_it_leaves(void **state)
{
    (void)state;
    stage_scene scene;
    sotto__played played;
    const uint8_t frame[42] = {0};
    stage_scene_open(&scene, 0);
    sotto__world_next(scene.stage.world);
    sotto__stage_play(&scene.stage, 0, 1, &played);
    for (uint32_t i = 0; i < 3; i++) {
        sotto__stage_sent(&scene.stage, &played);
    }
    sotto__stage_acknowledged(&scene.stage, &played, frame, sizeof frame);
    assert_int_equal(scene.sight.sent.once, 1);
    assert_int_equal(scene.sight.sent.all, 3);
    assert_int_equal(scene.sight.sent.acknowledged, 1);
    assert_int_equal(scene.sight.latency.count, 1);
    assert_true(sotto__latency_at(&scene.sight.latency, 1) < 1);
    stage_scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_that_is_dropped_is_told_with_its_reason),
        cmocka_unit_test(an_acknowledged_frame_that_is_no_report_is_trouble),
        cmocka_unit_test(regret_is_that_of_the_arm_beside_a_random_one),
        cmocka_unit_test(rewards_are_clipped_and_those_that_never_came_are_the_default),
        cmocka_unit_test(a_report_counts_once_however_often_it_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
