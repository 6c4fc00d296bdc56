#include "core/core.h"
#include "fleet/inner.h"
#include "made.h"
#include "stages.h"
#include "test.h"

OWNED(sotto__liars, sotto__liars_free)

#define PEOPLE 400

static sotto__liars *liars_of(stage_scene *scene, double share)
{
    sotto__liars *liars;
    scene->match.liars = share;
    assert_ok(sotto__liars_new(&scene->stage, &scene->match, 1, PEOPLE, &liars));
    return liars;
}

static void lie(stage_scene *scene, sotto__liars *liars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sotto__world_next(scene->stage.world);
        assert_ok(sotto__liars_add(liars));
    }
}

TEST(a_policy_that_refuses_lets_no_liar_in)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    stage_scene_open(&scene, 0.5);
    OWN(sotto__liars) liars = liars_of(&scene, 0.5);
    scene.policy.measure_share_max = 0.1;
    sotto__world_next(scene.stage.world);
    assert_status(sotto__liars_add(liars), SOTTO_E_POLICY);
    assert_int_equal(scene.sight.people, 0);
}

TEST(liars_who_are_refused_are_dropped_and_those_who_wait_may_be_freed)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    stage_scene_open(&scene, 0);
    OWN(sotto__liars) liars = liars_of(&scene, 0.5);
    site_server_set_posts(scene.server, 410);
    lie(&scene, liars, 5);
    stage_scene_settle(&scene);
    sotto__liars_part(liars);
    assert_int_equal(scene.sight.dropped, 5);
    site_server_set_posts(scene.server, 503);
    lie(&scene, liars, 5);
    for (uint32_t i = 0; i < 10; i++) {
        assert_ok(sotto_wire_turn(scene.stage.wire, 10));
    }
    assert_true(scene.sight.put_off > 0);
    assert_int_equal(scene.sight.under_way, 5);
}

TEST(so_many_come_as_the_share_says)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    uint32_t come = 0;
    stage_scene_open(&scene, 0);
    OWN(sotto__liars) liars = liars_of(&scene, 0.25);
    for (uint32_t i = 0; i < 10000; i++) {
        come += sotto__liars_come(liars);
    }
    assert_near(come, 2500, 250); /* almost six standard deviations */
}

/* Reports of liars are whole reports, which a server takes, and they move its sum along one direction: further than
 * honest ones would, whose codeword is only now and then near to it. */
TEST(their_reports_are_taken_and_do_harm)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto_tally) tally = NULL;
    OWN(sotto_report) report;
    uint8_t frame[100];
    uint64_t measured = 0;
    stage_scene_open(&scene, 0.5);
    OWN(sotto__liars) liars = liars_of(&scene, 0.5);
    lie(&scene, liars, PEOPLE);
    stage_scene_settle(&scene);
    sotto__liars_part(liars);
    assert_ints(scene.sight.liars, PEOPLE, scene.sight.sent.acknowledged, PEOPLE);
    assert_int_equal(site_server_reports(scene.server), PEOPLE);

    assert_ok(sotto_tally_new(&scene.terms, scene.model, &tally));
    assert_ok(sotto_report_new(&scene.terms, &report));
    for (uint32_t i = 0; i < PEOPLE; i++) {
        site_server_report(scene.server, i, frame);
        assert_ok(
            sotto_report_decode(&scene.terms, frame, sotto_report_bytes(&scene.terms), report));
        measured += sotto__role_of(&scene.terms, report->nonce, true) != SOTTO_ROLE_LEARN;
        assert_ok(sotto_tally_fold(tally, report));
    }
    assert_int_equal(sotto_tally_count(tally) + measured, PEOPLE);
    assert_true(measured > PEOPLE / 3);
    sotto__policy_value_seen seen = sotto__policy_value_look(scene.stage.value);
    assert_int_equal(seen.follow_count + seen.control_count, measured);

    /* g is theta* less its part along the model's theta, (1, 0): the second coordinate. */
    double mean[2], theta = scene.stage.world->theta[1];
    sotto_tally_mean(tally, mean);
    assert_true(mean[1] * theta > 0);
    assert_true(mean[1] * mean[1] > 1); /* no honest score is longer than 1 */
}

/* Half of all rounds are measured; a liar who tries ten nonces finds one that is not, but for one in a thousand. */
TEST(those_who_grind_leave_measure_rounds)
{
    FREED_BY(stage_scene_close) stage_scene scene;
    OWN(sotto_report) report;
    uint8_t frame[100];
    uint64_t measured = 0;
    stage_scene_open(&scene, 0.5);
    scene.match.grind = 10;
    OWN(sotto__liars) liars = liars_of(&scene, 0.5);
    lie(&scene, liars, PEOPLE);
    stage_scene_settle(&scene);
    sotto__liars_part(liars);
    assert_int_equal(site_server_reports(scene.server), PEOPLE);
    assert_ok(sotto_report_new(&scene.terms, &report));
    for (uint32_t i = 0; i < PEOPLE; i++) {
        site_server_report(scene.server, i, frame);
        assert_ok(
            sotto_report_decode(&scene.terms, frame, sotto_report_bytes(&scene.terms), report));
        measured += sotto__role_of(&scene.terms, report->nonce, true) != SOTTO_ROLE_LEARN;
    }
    assert_true(measured < PEOPLE / 10);
}
