/* Requests that another than libcurl makes: what it is asked, what it may answer, and when it fails. */
#include "http_scene.h"
#include "transport_scene.h"
#include "why.h"

#include <string.h>

#define ASKED_MAX 8u

/* Who makes them: the test. */
typedef struct hands {
    sotto_request *asked[ASKED_MAX]; /* under way, oldest first */
    size_t count, started, stopped, turns;
    bool refuses;
} hands;

static hands h;
static transport_scene *s; /* for terms, model and clocks: nobody asks its server */
static sotto_wire *wire;
static sotto_site *site;
static sotto_ledger *ledger;
static uint8_t body[SCENE_MODEL_BYTES_MAX];

static sotto_status start(void *state, sotto_request *request)
{
    hands *self = state;
    if (self->refuses) return SOTTO_E_LENGTH; /* any status */
    assert_true(self->count < ASKED_MAX);
    assert_null(request->own);
    request->own = self;
    self->asked[self->count++] = request;
    self->started++;
    return SOTTO_OK;
}

static void take_out(hands *self, const sotto_request *request)
{
    size_t i = 0;
    while (self->asked[i] != request) {
        assert_true(++i < self->count);
    }
    self->count--;
    memmove(&self->asked[i], &self->asked[i + 1], (self->count - i) * sizeof self->asked[0]);
}

static void stop(void *state, sotto_request *request)
{
    hands *self = state;
    assert_ptr_equal(request->own, self);
    take_out(self, request);
    self->stopped++;
}

static sotto_requests requests(void)
{
    return (sotto_requests){
        .version = SOTTO_REQUESTS_VERSION, .state = &h, .start = start, .stop = stop};
}

static void make_wire(const sotto_requests *given)
{
    sotto_wire_options options = sotto_wire_options_default();
    options.requests = given;
    assert_ok(sotto_wire_new(&options, &wire));
    wire->clock = s->wire->clock;
    wire->rng = s->wire->rng;
}

FIXTURE(set_up)
{
    h = (hands){0};
    s = scene_new(scene_spec(60, 0), sotto_wire_options_default());
    make_wire(&(sotto_requests){SOTTO_REQUESTS_VERSION, &h, start, stop, NULL}); /* copied */
    s->options.report_key = "0123456789abcdef";
    assert_ok(sotto_site_new(wire, &s->options, &site));
    assert_ok(sotto_ledger_memory_new(&ledger));
}

FIXTURE(tear_down)
{
    sotto_site_free(site);
    sotto_wire_free(wire);
    sotto_ledger_free(ledger);
    scene_free(s);
}

static void turn(void)
{
    assert_ok(sotto_wire_turn(wire, 1000));
}

static void pass(uint64_t ms)
{
    s->day_ms += ms;
    s->steady_ms += ms;
    turn();
}

/* Answers the oldest request. */
static void answer(sotto_answer given)
{
    assert_true(h.count > 0);
    sotto_request *request = h.asked[0];
    take_out(&h, request);
    sotto_request_answer(request, &given);
    turn();
}

static void answer_terms(void)
{
    answer((sotto_answer){.status = 200, .body = s->terms_bytes, .body_bytes = s->terms_count});
}

static void be_ready(void)
{
    turn();
    answer_terms();
    size_t bytes = sotto_model_bytes(&s->terms);
    assert_ok(sotto_model_encode(&s->terms, s->model, body, sizeof body));
    answer((sotto_answer){.status = 200, .body = body, .body_bytes = bytes});
    assert_int_equal(sotto_site_state_of(site), SOTTO_SITE_READY);
}

static const char *path_of(const sotto_request *request)
{
    assert_int_equal(strncmp(request->url, s->url, strlen(s->url)), 0);
    return request->url + strlen(s->url);
}

/* ---- bad input ---------------------------------------------------------------------------- */

TEST_WITH(requests_of_another_version_or_without_a_function_make_no_wire, set_up, tear_down)
{
    sotto_requests wrong[] = {requests(), requests(), requests()};
    const char *const words[] = {"requests.version = 2: this library supports only version 1",
                                 "start and stop must not be NULL",
                                 "start and stop must not be NULL"};
    wrong[0].version = 2;
    wrong[1].start = NULL;
    wrong[2].stop = NULL;
    for (int i = 0; i < 3; i++) {
        sotto_wire *none;
        sotto_wire_options options = sotto_wire_options_default();
        options.requests = &wrong[i];
        assert_says(WHY(sotto_wire_options_fault, &options), words[i]);
        assert_status(sotto_wire_new(&options, &none), SOTTO_E_FAULT);
        assert_null(none);
    }
}

TEST_WITH(a_request_that_cannot_begin_is_made_again_later, set_up, tear_down)
{
    h.refuses = true;
    turn();
    assert_int_equal(wire->under_way, 0);
    assert_says(WHY(sotto_site_fault, site), sotto_status_text(SOTTO_E_MEMORY));
    assert_int_equal(sotto_wire_due_ms(wire), 1000);
    h.refuses = false;
    pass(1000);
    assert_int_equal(h.started, 1);
    be_ready();
}

TEST_WITH(a_second_answer_and_one_after_a_stop_are_not_heard, set_up, tear_down)
{
    turn();
    sotto_request *request = h.asked[0];
    answer((sotto_answer){.status = 503});
    assert_says(WHY(sotto_site_fault, site), "503");
    sotto_request_answer(request, &(sotto_answer){.status = 404});
    assert_int_equal(sotto_site_state_of(site), SOTTO_SITE_ASKING);
    pass(1000);
    request = h.asked[0];
    sotto__request_stop(&site->get);
    assert_int_equal(h.stopped, 1);
    sotto_request_answer(request, &(sotto_answer){.status = 404});
    assert_int_equal(sotto_site_state_of(site), SOTTO_SITE_ASKING);
    assert_int_equal(wire->under_way, 0);
}

TEST_WITH(an_answer_that_is_longer_than_any_right_one_is_refused_unread, set_up, tear_down)
{
    turn();
    size_t most = h.asked[0]->answer_bytes_max;
    assert_int_equal(most, SOTTO_TERMS_BYTES + 1);
    answer((sotto_answer){.status = 200, .body = (const uint8_t *)1, .body_bytes = most + 1});
    assert_says(WHY(sotto_site_fault, site), "long");
    assert_int_equal(sotto_site_state_of(site), SOTTO_SITE_ASKING);
}

TEST_WITH(a_number_that_is_no_status_is_no_answer_and_words_are_made_printable, set_up, tear_down)
{
    turn();
    answer((sotto_answer){.status = 99, .retry_after_ms = 1, .body = NULL, .body_bytes = 5});
    assert_says(WHY(sotto_site_fault, site), "its first line has no status");
    assert_int_equal(sotto_wire_due_ms(wire), 1000);
    pass(1000);
    answer((sotto_answer){.why = "who\x1b[2Jm\n"});
    assert_says(WHY(sotto_site_fault, site), "who?[2Jm?");
}

TEST_WITH(retry_after_is_at_most_a_day, set_up, tear_down)
{
    turn();
    answer((sotto_answer){.status = 503, .retry_after_ms = UINT64_MAX});
    assert_int_equal(sotto_wire_due_ms(wire), 86400000);
}

/* ---- what is asked ------------------------------------------------------------------------ */

TEST_WITH(a_round_is_played_without_libcurl, set_up, tear_down)
{
    turn();
    assert_string_equal(path_of(h.asked[0]), "/terms");
    assert_null(h.asked[0]->body);
    assert_null(h.asked[0]->report_key);
    assert_int_equal(h.asked[0]->timeout_ms, 30000);
    be_ready();
    OWN(sotto_device) device = NULL;
    sotto_device_options options = scene_device_options(s, ledger);
    assert_ok(sotto_device_new(site, &options, &device));
    scene_decide(device);
    pass(59999);
    assert_int_equal(h.count, 0);
    pass(1);
    assert_int_equal(h.count, 1);
    assert_string_equal(path_of(h.asked[0]), "/reports");
    assert_string_equal(h.asked[0]->report_key, "0123456789abcdef");
    assert_int_equal(h.asked[0]->body_bytes, SCENE_FRAME_BYTES);
    assert_false(h.asked[0]->has_epoch);
    answer((sotto_answer){.status = 204});
    assert_ints(sotto_device_waiting(device), 0, sotto_device_counts_of(device).acknowledged, 1);
}

TEST_WITH(the_next_model_is_asked_for_by_the_epoch_of_the_one_that_is_there, set_up, tear_down)
{
    be_ready();
    pass(86400000u + 86400000u / 4);
    assert_string_equal(path_of(h.asked[0]), "/model");
    assert_true(h.asked[0]->has_epoch);
    assert_int_equal(h.asked[0]->epoch, 3);
}

/* ---- turns -------------------------------------------------------------------------------- */

TEST_WITH(without_a_turn_of_theirs_turns_do_not_wait_nor_look, set_up, tear_down)
{
    turn(); /* of a second at most: it would be noticed in this test's many turns */
    assert_int_equal(wire->under_way, 1);
    assert_int_equal(sotto_wire_due_ms(wire), UINT32_MAX);
}

static sotto_status answer_in_turn(void *state, uint32_t timeout_ms)
{
    hands *self = state;
    self->turns++;
    if (self->turns > 2) return SOTTO_E_MEMORY;
    assert_int_equal(timeout_ms, 0);
    sotto_request *request = self->asked[0];
    take_out(self, request);
    sotto_request_answer(request, &(sotto_answer){.status = 410});
    return SOTTO_OK;
}

TEST_WITH(a_turn_of_theirs_hands_answers_over_and_may_fail, set_up, tear_down)
{
    tear_down(NULL);
    set_up(NULL);
    sotto_site_free(site);
    sotto_wire_free(wire);
    sotto_requests given = requests();
    given.turn = answer_in_turn;
    make_wire(&given);
    assert_ok(sotto_site_new(wire, &s->options, &site));
    h.turns = 1;
    assert_status(sotto_wire_turn(wire, 60000), SOTTO_E_MEMORY); /* the second look fails */
    assert_int_equal(sotto_site_state_of(site), SOTTO_SITE_GONE);
}
