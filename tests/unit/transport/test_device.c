/* A person at a site: what is refused, in which order calls come, and what happens to secrets. */
#include "client/client.h"
#include "directory.h"
#include "tape.h"
#include "transport_scene.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static transport_scene *s;
static sotto_ledger *ledger;
static sotto_device_options options;
static sotto_device *device;

/* The linker sends sotto__wipe here: it tells how often the context was wiped. */
static unsigned wiped;
void __real_sotto__wipe(void *secret, size_t bytes);
void __wrap_sotto__wipe(void *secret, size_t bytes);
void __wrap_sotto__wipe(void *secret, size_t bytes)
{
    for (size_t at = 0; at + sizeof scene_context <= bytes; at++) {
        const uint8_t *stretch = (const uint8_t *)secret + at;
        if (memcmp(stretch, scene_context, sizeof scene_context) == 0) wiped++;
    }
    __real_sotto__wipe(secret, bytes);
}

FIXTURE(set_up)
{
    s = scene_quick(60, 600);
    assert_ok(sotto_ledger_memory_new(&ledger));
    options = scene_device_options(s, ledger);
    device = NULL;
    wiped = 0;
}

FIXTURE(tear_down)
{
    sotto_device_free(device);
    scene_free(s);
    sotto_ledger_free(ledger);
}

static void make(void)
{
    assert_ok(sotto_device_new(s->site, &options, &device));
}

static sotto_status begin(uint64_t *round)
{
    return sotto_device_begin(device, round);
}

static sotto_status decide(uint64_t round, uint32_t *arm)
{
    return sotto_device_decide(device, round, scene_context, SCENE_CELLS, arm);
}

/* The site asks for a model, before it would have. */
static void ask_now(void)
{
    sotto__alarm_set(&s->wire->alarms, &s->site->get_alarm, s->steady_ms);
    scene_settle(s);
}

/* ---- no device ---------------------------------------------------------------------------- */

static void assert_no_device(sotto_status status)
{
    sotto_device *out = (void *)&out;
    size_t alarms = s->wire->alarms_wanted;
    assert_status(sotto_device_new(s->site, &options, &out), status);
    assert_null(out);
    assert_int_equal(sotto_ledger_rounds(ledger), 0);
    assert_int_equal(s->wire->alarms_wanted, alarms);
}

TEST_WITH(options_that_cannot_be_used_make_no_device, set_up, tear_down)
{
    options.rounds_max = 0;
    assert_no_device(SOTTO_E_FAULT);
    options = scene_device_options(s, NULL);
    assert_no_device(SOTTO_E_FAULT);
    options = scene_device_options(s, ledger);
    options.policy.epsilon_lifetime = NAN;
    assert_no_device(SOTTO_E_FAULT);
}

TEST_WITH(a_policy_that_refuses_the_terms_makes_no_device, set_up, tear_down)
{
    options.policy.epsilon_per_report_max = .5; /* they ask for 1 */
    assert_no_device(SOTTO_E_POLICY);
    options = scene_device_options(s, ledger);
    options.policy.dim_max = 1;
    assert_no_device(SOTTO_E_POLICY);
}

TEST_WITH(a_ledger_that_cannot_be_read_makes_no_device, set_up, tear_down)
{
    HELD(directory) f = directory_new();
    assert_ok(sotto_ledger_file_create(f.file));
    OWN(sotto_ledger) file = ledger_at(f.file);
    assert_int_equal(rename(f.file, f.other), 0);
    options.ledger = file;
    assert_no_device(SOTTO_E_LEDGER);
}

TEST_WITH(without_terms_there_is_no_device_and_without_a_model_no_round, set_up, tear_down)
{
    uint64_t round = 77;
    sotto_site_free(s->site);
    s->to_terms = s->to_model = (http_answer){.act = HTTP_IS_SILENT};
    scene_add_site(s);
    assert_no_device(SOTTO_E_ORDER);
    scene_settle(s);
    assert_no_device(SOTTO_E_ORDER);
    http_answer_late(
        s->http, s->http->requests - 1,
        (http_answer){.status = 200, .body = s->terms_bytes, .body_bytes = s->terms_count});
    scene_until(s, s->http->silent == 1 && s->asked_model == 2);
    make();
    assert_status(begin(&round), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "no model yet");
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 503});
    scene_until(s, WHY(sotto_site_fault, s->site) != NULL);
    assert_status(begin(&round), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "(503)");
    assert_true(round == 77 && sotto_ledger_rounds(ledger) == 0);
    s->to_model = (http_answer){0};
    scene_pass(s, 1000);
    assert_ok(begin(&round));
    assert_null(WHY(sotto_device_fault, device));
}

/* ---- no round ----------------------------------------------------------------------------- */

TEST_WITH(after_the_end_of_an_experiment_no_round_begins_and_reports_still_leave, set_up, tear_down)
{
    uint64_t round;
    make();
    scene_decide(device);
    s->to_model = (http_answer){.status = 410};
    ask_now();
    assert_int_equal(sotto_site_state_of(s->site), SOTTO_SITE_GONE);
    assert_status(begin(&round), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "has ended");
    assert_int_equal(sotto_ledger_rounds(ledger), 1);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 1);
}

/* A closed experiment still serves its terms and its model: only its reports are refused. */
TEST_WITH(after_an_answer_that_an_experiment_is_closed_no_round_begins, set_up, tear_down)
{
    uint64_t round;
    make();
    scene_decide(device);
    s->to_reports = (http_answer){.status = 410};
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 1);
    assert_int_equal(sotto_site_state_of(s->site), SOTTO_SITE_GONE);
    assert_status(begin(&round), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "has ended");
    assert_says(WHY(sotto_site_fault, s->site), "(410)");
    scene_pass(s, 86400000); /* nor is the model asked for any more, which would bring it back */
    assert_int_equal(sotto_site_state_of(s->site), SOTTO_SITE_GONE);
    assert_int_equal(sotto_ledger_rounds(ledger), 1);
}

TEST_WITH(while_an_experiment_is_paused_no_round_begins, set_up, tear_down)
{
    uint64_t round;
    make();
    scene_decide(device);
    s->to_reports = (http_answer){.status = 409};
    scene_pass(s, 660000);
    assert_status(begin(&round), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "paused");
    s->to_reports = (http_answer){.status = 503};
    scene_pass(s, 90001);
    assert_status(begin(&round), SOTTO_E_ORDER); /* nobody said that it goes on */
    s->to_reports = (http_answer){0};
    scene_pass(s, 1000000);
    assert_int_equal(sotto_device_waiting(device), 0);
    scene_decide(device);
    s->to_reports = (http_answer){.status = 503};
    scene_pass(s, 660000);
    assert_int_equal(sotto_device_waiting(device), 1);
    assert_ok(begin(&round)); /* it goes on, although a report waits */
}

TEST_WITH(a_pause_of_which_no_report_is_left_is_forgotten, set_up, tear_down)
{
    uint64_t round;
    options.age_max_s = 3600;
    make();
    scene_decide(device);
    s->to_reports = (http_answer){.status = 409};
    scene_pass(s, 660000);
    assert_status(begin(&round), SOTTO_E_ORDER);
    scene_pass(s, 86400000);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_ok(begin(&round)); /* its report finds out */
}

TEST_WITH(a_budget_that_is_used_up_begins_no_round, set_up, tear_down)
{
    uint64_t round;
    options.policy.epsilon_lifetime = 2;
    options.policy.delta_lifetime = 0;
    make();
    scene_decide(device);
    scene_decide(device);
    assert_status(begin(&round), SOTTO_E_BUDGET);
    assert_says(WHY(sotto_device_fault, device), sotto_status_text(SOTTO_E_BUDGET));
    assert_int_equal(sotto_ledger_rounds(ledger), 2);
    assert_int_equal(sotto_device_counts_of(device).begun, 2);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 2);
}

TEST_WITH(without_randomness_no_round_begins, set_up, tear_down)
{
    uint64_t round;
    tape t = tape_of("", 0);
    make();
    device->client->rng = &t.rng;
    assert_status(begin(&round), SOTTO_E_ENTROPY);
    assert_says(WHY(sotto_device_fault, device), sotto_status_text(SOTTO_E_ENTROPY));
    tape nonce = tape_of(scene_context, SOTTO_NONCE_BYTES); /* and none for the time */
    device->client->rng = &nonce.rng;
    assert_status(begin(&round), SOTTO_E_ENTROPY);
    assert_int_equal(sotto_device_counts_of(device).begun, 0);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 0);
    device->client->rng = &device->client->system;
    assert_ok(begin(&round));
}

/* If a reward made room for another round, the number of reports would tell that it came. */
TEST_WITH(no_more_rounds_wait_for_their_time_than_allowed_whatever_rewards_came, set_up, tear_down)
{
    uint64_t round[3], more;
    options.rounds_max = 3;
    make();
    for (int i = 0; i < 3; i++) {
        round[i] = scene_decide(device);
    }
    assert_status(begin(&more), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "3 rounds wait for their send time");
    assert_int_equal(sotto_ledger_rounds(ledger), 3);
    assert_ok(sotto_device_finish(device, round[1], .5));
    assert_status(begin(&more), SOTTO_E_ORDER);
    assert_int_equal(sotto_ledger_rounds(ledger), 3);
    assert_status(sotto_device_finish(device, round[1], .5), SOTTO_E_ORDER);
    assert_ok(sotto_device_finish(device, round[0], .5)); /* and the others are where they were */
    assert_ok(sotto_device_finish(device, round[2], .5));
}

/* Even if nobody turned the wire: their reports are in the ledger, and leave from there. */
TEST_WITH(rounds_whose_time_has_come_make_room, set_up, tear_down)
{
    uint64_t round[2], more;
    uint32_t arm;
    options.rounds_max = 2;
    make();
    round[0] = scene_decide(device);
    assert_ok(begin(&round[1])); /* never decided */
    assert_status(begin(&more), SOTTO_E_ORDER);
    s->steady_ms += 660001;
    s->day_ms += 660001;
    more = scene_decide(device);
    assert_status(sotto_device_finish(device, round[0], .5), SOTTO_E_ORDER);
    assert_ok(sotto_device_finish(device, more, .5));
    scene_decide(device);
    assert_status(begin(&more), SOTTO_E_ORDER);
    assert_status(decide(round[1], &arm), SOTTO_E_ORDER);
    scene_settle(s);
    assert_int_equal(s->posted, 1);
    assert_int_equal(scene_last_event(s, SOTTO_DEVICE_SENT)->round, round[0]);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 3);
}

/* ---- order -------------------------------------------------------------------------------- */

TEST_WITH(a_round_goes_begin_decide_finish_each_once, set_up, tear_down)
{
    uint64_t round;
    uint32_t arm = 88;
    make();
    assert_status(decide(0, &arm), SOTTO_E_ORDER);
    assert_status(decide(1, &arm), SOTTO_E_ORDER);
    assert_status(sotto_device_finish(device, 0, .5), SOTTO_E_ORDER);
    assert_status(sotto_device_finish(device, 1, .5), SOTTO_E_ORDER);
    assert_ok(begin(&round));
    assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "no such round to finish");
    assert_status(decide(round + 1, &arm), SOTTO_E_ORDER);
    assert_int_equal(arm, 88);
    assert_ok(decide(round, &arm));
    assert_true(arm < 2);
    arm = 88;
    assert_status(decide(round, &arm), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device), "no such round to decide");
    assert_int_equal(arm, 88);
    assert_ok(sotto_device_finish(device, round, NAN)); /* the default reward, said out loud */
    assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, device),
                "no such round to finish"); /* the round is not asked */
    assert_status(decide(round, &arm), SOTTO_E_ORDER);
    const sotto_device_counts c = sotto_device_counts_of(device);
    assert_true(c.begun == 1 && c.finished == 1 && c.sent == 0);
    assert_int_equal(sotto_device_waiting(device), 1);
}

TEST_WITH(a_context_of_the_wrong_length_keeps_the_round, set_up, tear_down)
{
    uint64_t round;
    uint32_t arm = 88;
    make();
    assert_ok(begin(&round));
    assert_status(sotto_device_decide(device, round, scene_context, 3, &arm), SOTTO_E_LENGTH);
    assert_status(sotto_device_decide(device, round, scene_context, 0, &arm), SOTTO_E_LENGTH);
    assert_int_equal(arm, 88);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_ok(decide(round, &arm));
    assert_int_equal(sotto_device_waiting(device), 1);
}

TEST_WITH(a_report_that_cannot_be_kept_gives_no_arm_and_spends_the_round, set_up, tear_down)
{
    HELD(directory) f = directory_new();
    uint64_t round;
    uint32_t arm = 88;
    assert_ok(sotto_ledger_file_create(f.file));
    OWN(sotto_ledger) file = ledger_at(f.file);
    options.ledger = file;
    options.rounds_max = 1;
    make();
    assert_ok(begin(&round));
    size_t alarms = s->wire->alarms_wanted;
    assert_int_equal(rename(f.file, f.other), 0);
    assert_status(decide(round, &arm), SOTTO_E_LEDGER);
    assert_int_equal(sotto_device_waiting(device), 0); /* nothing is left to send */
    assert_int_equal(s->wire->alarms_wanted, alarms);
    assert_says(WHY(sotto_device_fault, device), sotto_status_text(SOTTO_E_LEDGER));
    assert_int_equal(arm, 88);
    assert_int_equal(wiped, 1);
    assert_status(begin(&round), SOTTO_E_LEDGER);
    assert_int_equal(rename(f.other, f.file), 0);
    assert_status(decide(round, &arm), SOTTO_E_ORDER);
    assert_int_equal(sotto_ledger_rounds(file), 1);
    scene_decide(device); /* its handle is free */
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 1);
    sotto_device_free(device);
    device = NULL;
}

/* ---- what others see ---------------------------------------------------------------------- */

/* Whatever the person does, nothing leaves but at a turn, and a turn before its time sends nothing. */
TEST_WITH(rounds_cause_no_traffic, set_up, tear_down)
{
    make();
    size_t requests = s->http->requests, connections = s->http->connections;
    uint32_t due_ms = sotto_wire_due_ms(s->wire);
    for (int i = 0; i < 10; i++) {
        uint64_t round = scene_decide(device);
        if (i % 2 == 0) assert_ok(sotto_device_finish(device, round, .5));
        http_run(s->http);
        assert_int_equal(s->http->requests, requests);
        scene_settle(s);
    }
    assert_ints(s->http->requests, requests, s->http->connections, connections);
    assert_in_range(sotto_wire_due_ms(s->wire), 60000, 660000);
    assert_true(due_ms > 660000);
    sotto_device_free(device);
    device = NULL;
    assert_int_equal(sotto_wire_due_ms(s->wire), due_ms);
}

TEST_WITH(reports_go_to_the_relay_and_nothing_else_does, set_up, tear_down)
{
    char prefix[64];
    sotto_site_free(s->site);
    snprintf(prefix, sizeof prefix, "http://127.0.0.1:%u", s->http->port);
    snprintf(s->relay, sizeof s->relay, "%s/relay%.150s", prefix, s->url + strlen(prefix));
    s->options.relay = s->relay;
    scene_add_site(s);
    scene_settle(s);
    make();
    scene_decide(device);
    scene_pass(s, 660000);
    assert_int_equal(sotto_device_counts_of(device).acknowledged, 1);
    for (size_t i = 0; i < s->http->requests; i++) {
        const http_request *request = s->http->request[i];
        bool is_post = strcmp(request->method, "POST") == 0;
        assert_true(is_post == (strncmp(request->path, "/relay/v1/", 10) == 0));
    }
}

static uint32_t epoch_of(const http_request *post)
{
    sotto_report *report;
    assert_ok(sotto_report_new(&s->terms, &report));
    assert_ok(sotto_report_decode(&s->terms, post->body, post->body_bytes, report));
    uint32_t epoch = report->epoch;
    sotto_report_free(report);
    return epoch;
}

TEST_WITH(a_round_begins_under_the_newest_model_and_stays_there, set_up, tear_down)
{
    uint64_t round;
    uint32_t arm;
    make();
    assert_ok(begin(&round));
    s->model->epoch = 4;
    ask_now();
    assert_int_equal(sotto_site_model(s->site)->epoch, 4);
    assert_ok(decide(round, &arm));
    scene_pass(s, 660000);
    assert_int_equal(epoch_of(scene_last_post(s)), 3);
    scene_decide(device);
    scene_pass(s, 660000);
    assert_int_equal(epoch_of(scene_last_post(s)), 4);
}

TEST_WITH(a_device_that_is_freed_leaves_its_reports_in_the_ledger, set_up, tear_down)
{
    uint64_t round[3];
    sotto_unsent unsent;
    make();
    round[0] = scene_decide(device);
    round[1] = scene_decide(device);
    assert_ok(begin(&round[2])); /* not decided: there is nothing to send */
    assert_ok(sotto_device_finish(device, round[0], .5));
    size_t alarms = s->wire->alarms_wanted;
    sotto_device_free(device);
    device = NULL;
    assert_int_equal(s->wire->alarms_wanted, alarms - 2);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 0);
    assert_ok(sotto_ledger_unsent(ledger, 0, &unsent));
    assert_true(unsent.entry == round[0] && !unsent.held && !unsent.sealed);
    assert_ok(sotto_ledger_unsent(ledger, unsent.entry, &unsent));
    assert_true(unsent.entry == round[1] && unsent.held);
    assert_ok(sotto_ledger_unsent(ledger, unsent.entry, &unsent));
    assert_int_equal(unsent.entry, 0);
}

TEST_WITH(a_device_can_be_freed_while_its_report_is_under_way, set_up, tear_down)
{
    make();
    scene_decide(device);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    scene_pass(s, 660000);
    assert_int_equal(s->http->silent, 1);
    sotto_device_free(device);
    device = NULL;
    size_t events = s->events;
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_settle(s);
    assert_int_equal(s->events, events);
    s->to_reports = (http_answer){0};
    make(); /* nobody told the ledger: the same bytes go again */
    scene_settle(s);
    assert_int_equal(s->posted, 2);
    assert_memory_equal(scene_post(s, 0)->body, scene_post(s, 1)->body, SCENE_FRAME_BYTES);
}

/* ---- secrets ------------------------------------------------------------------------------ */

TEST_WITH(the_context_is_wiped_as_soon_as_no_reward_can_count, set_up, tear_down)
{
    enum { FINISHED, SENT, DROPPED, FREED, ENDS };
    for (int end = 0; end < ENDS; end++) {
        options.queue_max = 1;
        make();
        wiped = 0;
        uint64_t round = scene_decide(device);
        scene_pass(s, 1000);
        assert_int_equal(wiped, 0);
        if (end == FINISHED) assert_ok(sotto_device_finish(device, round, .5));
        if (end == SENT) scene_pass(s, 660000);
        if (end == DROPPED) scene_decide(device);
        if (end == FREED) {
            sotto_device_free(device);
            device = NULL;
        }
        assert_int_equal(wiped, 1);
        sotto_device_free(device);
        device = NULL;
    }
}

/* A person at a site whose model serves a fallback. */

/* Half of the rounds measure. Those that learn are played, send nothing and cost nothing; a place is free again when
 * its time has come, whatever the reward was. */
TEST(a_fallback_is_served_without_reports)
{
    sotto_spec spec = scene_spec(600, 60);
    spec.measure = 1u << 31;
    OWN(transport_scene) scene = scene_new(spec, sotto_wire_options_default());
    OWN(sotto_device) served = NULL;
    scene->model->theta[0] = 0.5;
    if (scene->model->tbar != NULL) scene->model->tbar[0] = 0.5;
    scene->model->served = 2;
    scene_add_site(scene);
    scene_until(scene, sotto_site_state_of(scene->site) == SOTTO_SITE_READY);
    sotto_ledger *own = made_ledger();
    sotto_device_options settings = sotto_device_options_default();
    settings.ledger = own;
    settings.rounds_max = 32;
    settings.policy.epsilon_lifetime = 100;
    settings.policy.measure_share_max = 0.5;
    assert_ok(sotto_device_new(scene->site, &settings, &served));
    uint64_t free_of_charge = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t round, before = sotto_ledger_rounds(own);
        uint32_t arm;
        assert_ok(sotto_device_begin(served, &round));
        assert_status(sotto_device_decide(served, round, scene_context, 1, &arm), SOTTO_E_LENGTH);
        assert_ok(sotto_device_decide(served, round, scene_context, SCENE_CELLS, &arm));
        assert_status(sotto_device_decide(served, round, scene_context, SCENE_CELLS, &arm),
                      SOTTO_E_ORDER);
        bool booked = sotto_ledger_rounds(own) > before;
        if (!booked) assert_int_equal(arm, 1);
        assert_true(booked == (round < UINT64_C(1) << 63));
        free_of_charge += !booked;
        if (i % 2 == 0) assert_ok(sotto_device_finish(served, round, 0.5));
        if (i % 2 == 0) assert_status(sotto_device_finish(served, round, 0.5), SOTTO_E_ORDER);
    }
    sotto_device_counts counts = sotto_device_counts_of(served);
    assert_true(free_of_charge > 2 && free_of_charge < 30); /* else 2.5e-7 */
    assert_ints(counts.served, free_of_charge, counts.begun, 32);
    assert_int_equal(sotto_device_waiting(served), 32 - free_of_charge);
    uint64_t one_more;
    assert_status(sotto_device_begin(served, &one_more), SOTTO_E_ORDER); /* all places are taken */
    scene_pass(scene, 659999);
    for (uint64_t more = sotto_device_counts_of(served).sent; more > 0; more--) {
        assert_ok(
            sotto_device_begin(served, &one_more)); /* in the places of rounds that were sent */
    }
    assert_status(sotto_device_begin(served, &one_more), SOTTO_E_ORDER); /* the others are taken */
    scene_pass(scene, 1);
    scene_settle(scene);
    assert_int_equal(sotto_device_counts_of(served).sent, 32 - free_of_charge);
    for (uint64_t more = 0; more < free_of_charge; more++) {
        assert_ok(sotto_device_begin(served, &one_more)); /* its time has come to the millisecond */
    }
}
