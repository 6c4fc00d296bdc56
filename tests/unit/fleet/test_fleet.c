#include "fleet/fleet.h"
#include "fleet/inner.h"
#include "made.h"
#include "stages.h"
#include "test.h"
#include "why.h"

/* Looks on, and ends a run after so many people. */
typedef struct watcher {
    uint64_t looks, stop_at;
    site_server *heal; /* NULL, or takes reports once some were put off */
} watcher;

static bool look(void *state, const sotto__sight *sight)
{
    watcher *self = state;
    self->looks++;
    if (self->heal != NULL && sight->put_off >= 32) site_server_set_posts(self->heal, 204);
    return sight->people < self->stop_at;
}

typedef struct scene {
    sotto_terms terms;
    site_server *server;
    sotto__fleet_options options;
    sotto__fleet *fleet;
    watcher watcher;
    sotto__fleet_listener listener;
} scene;

static void scene_open(scene *s, double measure)
{
    *s = (scene){.terms = stage_terms(measure),
                 .options = sotto__fleet_options_default(),
                 .watcher = {.stop_at = UINT64_MAX}};
    s->server = site_server_start(&s->terms);
    s->listener = (sotto__fleet_listener){look, &s->watcher};
    s->options.url = site_server_url(s->server);
    s->options.refresh_ms = 10;
    s->options.people = 500;
}

static void scene_begin(scene *s)
{
    if (WHY(sotto__fleet_new, &s->options, &s->fleet) != NULL) fail_msg("%s", why_fault.sentence);
    if (WHY(sotto__fleet_join, s->fleet, &s->listener) != NULL) fail_msg("%s", why_fault.sentence);
    sotto_match match = sotto__fleet_match(sotto__fleet_terms(s->fleet), SOTTO_ENVIRONMENT_SPHERE,
                                           NULL, s->options.people);
    sotto_fault fault;
    if (sotto__fleet_begin(s->fleet, &match, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
}

static const sotto__sight *scene_play(scene *s)
{
    scene_begin(s);
    assert_ok(sotto__fleet_play(s->fleet, &s->listener));
    return sotto__fleet_sight(s->fleet);
}

static void scene_close(scene *s)
{
    sotto__fleet_free(s->fleet);
    site_server_stop(s->server);
}

TEST(options_that_cannot_be_are_refused)
{
    sotto__fleet *fleet;
    sotto__fleet_options good = sotto__fleet_options_default(), bad;
    good.url = "http://127.0.0.1:1/v1/experiments/00000000000000000000000000000000";
    bad = good;
    bad.url = "http://example.org/v1/experiments/00000000000000000000000000000000";
    assert_non_null(WHY(sotto__fleet_new, &bad, &fleet));
    assert_null(fleet);
    bad = good;
    bad.wire.batch_max = 0;
    assert_non_null(strstr(WHY(sotto__fleet_new, &bad, &fleet), "batch_max"));
    bad = good;
    bad.policy.measure_share_max = 2;
    assert_non_null(strstr(WHY(sotto__fleet_new, &bad, &fleet), "measure_share_max"));
    sotto__fleet_free(NULL);
}

TEST(a_server_that_is_gone_is_told)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    s.options.url = "http://127.0.0.1:1/v1/experiments/00000000000000000000000000000000";
    assert_null(WHY(sotto__fleet_new, &s.options, &s.fleet));
    s.watcher.stop_at = 0; /* no need to wait: somebody pressed Ctrl-C */
    assert_non_null(WHY(sotto__fleet_join, s.fleet, &s.listener));
    assert_non_null(strstr(why_fault.sentence, "http://127.0.0.1:1/"));
    assert_null(sotto__fleet_terms(s.fleet));
}

TEST(an_experiment_that_is_not_there_is_told)
{
    char url[200];
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    snprintf(url, sizeof url, "%s/v1/experiments/00000000000000000000000000000000",
             site_server_root(s.server));
    s.options.url = url;
    assert_null(WHY(sotto__fleet_new, &s.options, &s.fleet));
    assert_non_null(WHY(sotto__fleet_join, s.fleet, &s.listener));
    assert_non_null(strstr(why_fault.sentence, "404"));
}

TEST(a_policy_that_refuses_is_told_with_the_field)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0.5);
    assert_null(WHY(sotto__fleet_new, &s.options, &s.fleet));
    assert_non_null(strstr(WHY(sotto__fleet_join, s.fleet, &s.listener), "measure"));
    assert_non_null(sotto__fleet_terms(s.fleet));
}

TEST(an_environment_that_does_not_fit_is_told)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    assert_null(WHY(sotto__fleet_new, &s.options, &s.fleet));
    assert_null(WHY(sotto__fleet_join, s.fleet, &s.listener));
    sotto_match match = sotto__fleet_match(&s.terms, SOTTO_ENVIRONMENT_GAUSSIAN, NULL, 100);
    sotto_fault fault;
    assert_status(sotto__fleet_begin(s.fleet, &match, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "environment gaussian"));
}

TEST(everybody_takes_part_once)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0.1);
    s.options.liars = 0.2;
    s.options.reward_missing = 0.5;
    s.options.wire.batch_max = 7;
    const sotto__sight *sight = scene_play(&s);
    assert_ints(sight->people, 500, sight->sent.acknowledged, 500, sight->sent.all, 500);
    assert_ints(sight->under_way, 0, sight->dropped, 0, site_server_reports(s.server), 500);
    assert_near((double)sight->liars, 100, 60);
    assert_near((double)sight->missing, 200, 70);
    assert_int_equal(sight->sent_default, sight->missing);
    assert_true(sight->regret > 0 && sight->regret_random > 0 && sight->seconds > 0);
    assert_true(s.watcher.looks > 0);
}

/* The first arms come from nonces, so that regret is of chance; all else follows from the seed. */
TEST(a_seed_gives_the_same_people)
{
    double random[3];
    uint64_t missing[3];
    for (uint32_t i = 0; i < 3; i++) {
        FREED_BY(scene_close) scene s;
        scene_open(&s, 0);
        s.options.seed = i == 2 ? 9 : 8;
        s.options.reward_missing = 0.3;
        const sotto__sight *sight = scene_play(&s);
        random[i] = sight->regret_random;
        missing[i] = sight->missing;
    }
    assert_true(random[0] == random[1] && random[0] != random[2]);
    assert_int_equal(missing[0], missing[1]);
}

TEST(a_listener_may_end_it)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    s.options.people = UINT64_C(1000000000);
    s.watcher.stop_at = 100;
    const sotto__sight *sight = scene_play(&s);
    assert_true(sight->people >= 100);
    assert_ints(sight->under_way, 0, sight->sent.acknowledged, sight->people);
}

/* A machine that does much else begins fewer: one time of several is enough. */
TEST(it_ends_after_its_time_and_keeps_its_rate)
{
    uint64_t most = 0;
    for (int tries = 0; tries < 20 && most < 50; tries++) {
        FREED_BY(scene_close) scene s;
        scene_open(&s, 0);
        s.options.people = UINT64_C(1000000000);
        s.options.seconds = 0.5;
        s.options.rate = 200;
        const sotto__sight *sight = scene_play(&s);
        assert_true(sight->people <= 101);
        assert_int_equal(sight->under_way, 0);
        if (sight->people > most) most = sight->people;
    }
    assert_true(most >= 50);
}

TEST(reports_that_nobody_takes_are_waited_for_no_longer_than_said)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    s.options.people = 1000; /* more than may be under way */
    s.options.drain_s = 0.3;
    site_server_set_posts(s.server, 503);
    double start_s = sotto__fleet_clock_s();
    const sotto__sight *sight = scene_play(&s);
    assert_true(sotto__fleet_clock_s() - start_s < 60);
    assert_ints(sight->under_way, 64, sight->sent.acknowledged, 0);
    assert_true(sight->put_off >= 1 && sight->trouble[0] != '\0');
}

/* 32 requests fail at once, and that is one failure: the first wait is a second, and not 2^32 of them. */
TEST(an_outage_that_many_notice_at_once_is_over_soon)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    s.options.people = 200;
    s.options.drain_s = 20;
    s.watcher.heal = s.server;
    site_server_set_posts(s.server, 503);
    const sotto__sight *sight = scene_play(&s);
    assert_true(sight->put_off >= 32);
    assert_int_equal(sight->sent.acknowledged, 200);
    assert_true(sight->seconds < 10);
}

TEST(new_models_are_seen_and_counted)
{
    FREED_BY(scene_close) scene s;
    scene_open(&s, 0);
    s.options.people = 20;
    const sotto__sight *sight = scene_play(&s);
    assert_int_equal(sight->publishes, 0);
    sotto_model *model = made_model(&s.terms);
    model->phase = SOTTO_PHASE_MAIN;
    for (uint32_t i = 1; i <= 2; i++) {
        model->epoch = i;
        model->reports = 10 * i;
        site_server_set_model(s.server, model);
        double seconds = sight->seconds;
        sotto__fleet_await_publish(s.fleet, &s.listener, 10);
        assert_ints(sight->publishes, i, sight->epoch, i);
        assert_true(sight->seconds == seconds); /* the run is over */
    }
    assert_ints(sight->reports_first, 10, sight->reports_last, 20);
    sotto__fleet_await_publish(s.fleet, &s.listener, 0.05);
    assert_int_equal(sight->publishes, 2);
}
