/* A site at servers that give wrong terms, wrong models, or nothing; and when it asks again. */
#include "core/core.h"
#include "transport_scene.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_MS 60000u

static transport_scene *s;

FIXTURE(set_up)
{
    s = scene_new(scene_spec(10, 10), sotto_wire_options_default());
    s->options.refresh_ms = REFRESH_MS;
}

FIXTURE(tear_down)
{
    scene_free(s);
}

static void add_site(void)
{
    scene_add_site(s);
    scene_settle(s);
}

static sotto_site_state state_of(void)
{
    return sotto_site_state_of(s->site);
}

/* ---- terms -------------------------------------------------------------------------------- */

/* Refused for good, with this sentence; nothing is asked again, and no device can be made. */
static void assert_refused_terms(http_answer given, const char *words)
{
    sotto_device *device = NULL;
    sotto_ledger *ledger;
    size_t before = s->http->requests;
    s->to_terms = given;
    add_site();
    assert_int_equal(state_of(), SOTTO_SITE_REFUSED);
    assert_says(WHY(sotto_site_fault, s->site), words);
    assert_null(sotto_site_terms(s->site));
    assert_null(sotto_site_model(s->site));
    assert_ok(sotto_ledger_memory_new(&ledger));
    sotto_device_options options = scene_device_options(s, ledger);
    assert_status(sotto_device_new(s->site, &options, &device), SOTTO_E_ORDER);
    scene_pass(s, 10 * 86400000ull);
    assert_int_equal(s->http->requests, before + 1);
    assert_int_equal(sotto_wire_due_ms(s->wire), UINT32_MAX);
    sotto_ledger_free(ledger);
    sotto_site_free(s->site);
    s->site = NULL;
}

TEST_WITH(terms_of_another_experiment_are_refused, set_up, tear_down)
{
    sotto_terms other;
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_spec spec = scene_spec(10, 11);
    assert_ok(sotto_spec_resolve(&spec, &other));
    size_t count = sotto_terms_encode(&other, bytes);
    assert_refused_terms((http_answer){.status = 200, .body = bytes, .body_bytes = count},
                         "another experiment than the URL");
}

/* Each byte changed in turn: the id does not fit, or the terms cannot be read. */
TEST_WITH(damaged_terms_are_refused, set_up, tear_down)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    for (size_t i = 0; i < s->terms_count; i += 7) {
        memcpy(bytes, s->terms_bytes, s->terms_count);
        bytes[i] ^= 1;
        assert_refused_terms(
            (http_answer){.status = 200, .body = bytes, .body_bytes = s->terms_count}, "");
    }
}

/* Terms whose constant protects less than they promise, under a right id. */
TEST_WITH(weak_terms_are_refused, set_up, tear_down)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_fault fault;
    sotto_terms weak = s->terms, decoded;
    for (int i = 0; i < SOTTO_PHASES; i++) {
        weak.codebook[i].weight_top *= 2;
    }
    size_t count = sotto_terms_encode(&weak, bytes);
    assert_status(sotto_terms_decode(bytes, count, &decoded), SOTTO_E_WEAK);
    assert_status(sotto_terms_bytes_fault(bytes, count, &fault), SOTTO_E_WEAK);
    assert_refused_terms((http_answer){.status = 200, .body = bytes, .body_bytes = count},
                         fault.sentence);
}

/* Nothing that could be terms, right or wrong: it is asked again. */
TEST_WITH(terms_that_do_not_come_are_asked_for_again, set_up, tear_down)
{
    static const char page[] = "<!DOCTYPE html><html><body>Log in here</body></html>";
    const http_answer none[] = {
        {.act = HTTP_CLOSES},
        {.status = 200, .body = page, .body_bytes = sizeof page - 1},
        {.status = 200},
        {.status = 200, .body = s->terms_bytes, .body_bytes = s->terms_count - 1},
        {.act = HTTP_NEVER_ENDS_ITS_BODY},
        {.act = HTTP_NEVER_ENDS_ITS_HEAD},
        {.act = HTTP_SAYS, .body = "x", .body_bytes = 1},
        {.status = 302, .headers = "Location: http://127.0.0.1:1/\r\n"},
        {.status = 304},
        {.status = 204},
        {.status = 500},
    };
    s->to_terms = none[0];
    add_site();
    uint64_t wait_ms = 1000;
    for (size_t i = 1; i <= sizeof none / sizeof none[0]; i++, wait_ms *= 2) {
        assert_int_equal(state_of(), SOTTO_SITE_ASKING);
        assert_non_null(WHY(sotto_site_fault, s->site));
        assert_null(sotto_site_terms(s->site));
        assert_int_equal(s->asked_terms, i);
        assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
        s->to_terms = i < sizeof none / sizeof none[0] ? none[i] : (http_answer){0};
        scene_pass(s, wait_ms);
    }
    assert_int_equal(state_of(), SOTTO_SITE_READY);
    assert_null(WHY(sotto_site_fault, s->site));
    assert_memory_equal(sotto_site_terms(s->site)->id, s->terms.id, SOTTO_SPEC_ID_BYTES);
}

/* ---- models ------------------------------------------------------------------------------- */

static uint8_t bytes[SCENE_MODEL_BYTES_MAX + 2];

static http_answer model_of(const sotto_terms *terms, uint32_t epoch, size_t more)
{
    sotto_model *model;
    assert_ok(sotto_model_new(terms, &model));
    model->epoch = epoch;
    assert_ok(sotto_model_encode(terms, model, bytes, sizeof bytes));
    sotto_model_free(model);
    return (http_answer){
        .status = 200, .body = bytes, .body_bytes = sotto_model_bytes(terms) + more};
}

/* Refused: what was there stays, the sentence tells, and it is asked again after a second. */
static void assert_refused_model(http_answer given, const char *words)
{
    add_site();
    for (int has_model = 0; has_model < 2; has_model++) {
        const sotto_model *kept = sotto_site_model(s->site);
        uint32_t epoch = kept == NULL ? 0 : kept->epoch;
        if (!has_model) {
            sotto_site_free(s->site);
            s->to_model = given;
            add_site();
            kept = NULL;
        } else {
            s->to_model = given;
            scene_pass(s, REFRESH_MS);
        }
        assert_int_equal(state_of(), has_model ? SOTTO_SITE_READY : SOTTO_SITE_ASKING);
        assert_says(WHY(sotto_site_fault, s->site), words);
        assert_ptr_equal(sotto_site_model(s->site), kept);
        if (kept != NULL) assert_int_equal(kept->epoch, epoch);
        assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
        s->to_model = (http_answer){0};
        scene_pass(s, 1000);
        assert_int_equal(state_of(), SOTTO_SITE_READY);
        assert_null(WHY(sotto_site_fault, s->site));
        assert_int_equal(sotto_site_model(s->site)->epoch, 3);
    }
    sotto_site_free(s->site);
    s->site = NULL;
}

TEST_WITH(a_model_of_another_spec_is_refused, set_up, tear_down)
{
    sotto_terms other;
    sotto_spec spec = scene_spec(10, 11);
    assert_ok(sotto_spec_resolve(&spec, &other));
    assert_refused_model(model_of(&other, 9, 0), sotto_status_text(SOTTO_E_SPEC));
}

/* The bytes of a model in which .25 stands where theta begins, with another number there. */
static http_answer model_with(uint64_t number_bits)
{
    size_t at = 0, count = sotto_model_bytes(&s->terms);
    double quarter = .25;
    s->model->theta[0] = quarter;
    assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
    s->model->theta[0] = 0;
    while (at + 8 <= count && memcmp(bytes + at, &quarter, 8) != 0) {
        at++;
    }
    assert_true(at + 8 <= count);
    sotto__put_u64(bytes + at, number_bits);
    return (http_answer){.status = 200, .body = bytes, .body_bytes = count};
}

TEST_WITH(a_model_of_nan_or_infinity_is_refused, set_up, tear_down)
{
    assert_refused_model(model_with(UINT64_C(0x7ff8000000000000)), "bytes are not a valid model: ");
    assert_refused_model(model_with(UINT64_C(0x7ff0000000000000)), "bytes are not a valid model: ");
    s->to_model = model_with(UINT64_C(0x3fd0000000000000)); /* .25 itself: no such fault */
    add_site();
    assert_true(sotto_site_model(s->site)->theta[0] == .25);
}

TEST_WITH(a_model_that_is_too_long_or_too_short_is_refused, set_up, tear_down)
{
    assert_refused_model(model_of(&s->terms, 9, 1), "allowed");
    assert_refused_model(model_of(&s->terms, 9, 2), "is too long");
    assert_refused_model((http_answer){.act = HTTP_NEVER_ENDS_ITS_BODY}, "is too long");
    http_answer given = model_of(&s->terms, 9, 0);
    given.body_bytes--;
    assert_refused_model(given, "allowed");
    given.body_bytes = 0;
    assert_refused_model(given, "0 bytes are not a valid model");
}

TEST_WITH(answers_that_are_no_model_are_refused, set_up, tear_down)
{
    assert_refused_model((http_answer){.status = 302, .headers = "Location: /x\r\n"}, "redirect");
    assert_refused_model((http_answer){.status = 409}, "model: ");
    assert_refused_model((http_answer){.status = 503}, "(503)");
    assert_refused_model((http_answer){.status = 500}, "500");
    assert_refused_model((http_answer){.act = HTTP_CLOSES}, "model: no answer");
    assert_refused_model((http_answer){.act = HTTP_SAYS, .body = "<html>", .body_bytes = 6},
                         "model: no answer");
    static const char page[] = "<html></html>";
    assert_refused_model((http_answer){.status = 200, .body = page, .body_bytes = 13}, "13 bytes");
}

TEST_WITH(an_older_model_is_refused_and_the_newer_one_kept, set_up, tear_down)
{
    add_site();
    const sotto_model *kept = sotto_site_model(s->site);
    assert_int_equal(kept->epoch, 3);
    s->model->epoch = 2;
    scene_pass(s, REFRESH_MS);
    assert_ptr_equal(sotto_site_model(s->site), kept);
    assert_int_equal(kept->epoch, 3);
    assert_int_equal(state_of(), SOTTO_SITE_READY);
    assert_says(WHY(sotto_site_fault, s->site), "epoch 2 is older than epoch 3");
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
    s->model->epoch = 4;
    s->model->theta[0] = .25;
    scene_pass(s, 1000);
    assert_int_equal(sotto_site_model(s->site)->epoch, 4);
    assert_true(sotto_site_model(s->site)->theta[0] == .25);
    assert_null(WHY(sotto_site_fault, s->site));
}

/* ---- when it asks ------------------------------------------------------------------------- */

/* The value of If-None-Match in the last request; "" if there was none. */
static const char *last_tag(void)
{
    static char value[256];
    const http_request *last = s->http->request[s->http->requests - 1];
    const char *tag = http_header(last, "If-None-Match", value);
    return tag == NULL ? "" : tag;
}

TEST_WITH(terms_are_asked_for_once_and_models_by_the_epoch_that_is_held, set_up, tear_down)
{
    add_site();
    assert_string_equal(last_tag(), "");
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(s->asked_model, i + 1);
        assert_ints(sotto_site_model(s->site)->epoch, 3, sotto_wire_due_ms(s->wire), REFRESH_MS);
        scene_pass(s, REFRESH_MS - 1);
        assert_int_equal(s->asked_model, i + 1);
        scene_pass(s, 1);
        assert_string_equal(last_tag(), "\"3\"");
        assert_null(WHY(sotto_site_fault, s->site));
    }
    s->model->epoch = 4;
    scene_pass(s, REFRESH_MS);
    assert_string_equal(last_tag(), "\"3\"");
    assert_int_equal(sotto_site_model(s->site)->epoch, 4);
    scene_pass(s, REFRESH_MS);
    assert_string_equal(last_tag(), "\"4\"");
    assert_int_equal(s->asked_terms, 1);
}

TEST_WITH(the_refresh_has_a_random_part_of_a_quarter, set_up, tear_down)
{
    uint32_t least = UINT32_MAX, most = 0;
    s->wire->rng = sotto__system_rng();
    add_site();
    for (int i = 0; i < 40; i++) {
        uint32_t due_ms = sotto_wire_due_ms(s->wire);
        assert_in_range(due_ms, REFRESH_MS, REFRESH_MS + REFRESH_MS / 4);
        if (due_ms < least) least = due_ms;
        if (due_ms > most) most = due_ms;
        scene_pass(s, due_ms);
    }
    assert_int_equal(s->asked_model, 41);
    assert_true(most - least > REFRESH_MS / 16); /* fails by chance in 1 of 10^23 runs */
}

TEST_WITH(waits_double_while_the_server_fails_and_begin_anew_when_it_answers, set_up, tear_down)
{
    add_site();
    for (int twice = 0; twice < 2; twice++) {
        uint64_t wait_ms = 1000;
        s->to_model = (http_answer){.status = 503};
        scene_pass(s, REFRESH_MS);
        for (int i = 0; i < 20; i++) {
            assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
            size_t before = s->asked_model;
            scene_pass(s, wait_ms - 1);
            assert_int_equal(s->asked_model, before);
            scene_pass(s, 1);
            assert_int_equal(s->asked_model, before + 1);
            wait_ms = wait_ms * 2 < 86400000 ? wait_ms * 2 : 86400000;
        }
        assert_int_equal(wait_ms, 86400000);
        s->to_model = (http_answer){0};
        scene_pass(s, wait_ms);
        assert_int_equal(sotto_wire_due_ms(s->wire), REFRESH_MS);
        assert_null(WHY(sotto_site_fault, s->site));
    }
}

TEST_WITH(retry_after_is_the_least_wait, set_up, tear_down)
{
    add_site();
    s->to_model = (http_answer){.status = 503, .headers = "Retry-After: 100\r\n"};
    scene_pass(s, REFRESH_MS);
    assert_int_equal(sotto_wire_due_ms(s->wire), 100000);
    s->to_model.headers = "Retry-After: 1\r\n";
    scene_pass(s, 100000);
    assert_int_equal(sotto_wire_due_ms(s->wire), 200000); /* never sooner than without it */
}

TEST_WITH(an_experiment_that_is_gone_is_not_asked_for_again, set_up, tear_down)
{
    const int status[] = {404, 410};
    const char *const words[] = {"no such experiment", "has ended"};
    for (int i = 0; i < 4; i++) { /* of terms, and of a later model */
        bool has_model = i >= 2;
        const http_answer given = {.status = status[i % 2]};
        s->to_terms = has_model ? (http_answer){0} : given;
        s->to_model = (http_answer){0};
        add_site();
        s->to_model = given;
        if (has_model) scene_pass(s, REFRESH_MS);
        size_t before = s->http->requests;
        assert_int_equal(state_of(), SOTTO_SITE_GONE);
        assert_says(WHY(sotto_site_fault, s->site), words[i % 2]);
        assert_int_equal(sotto_wire_due_ms(s->wire), UINT32_MAX);
        scene_pass(s, 10 * 86400000ull);
        assert_int_equal(s->http->requests, before);
        sotto_site_free(s->site);
        s->site = NULL;
    }
}

/* What a server sees of models is the same with and without rounds. */
TEST_WITH(requests_for_models_do_not_depend_on_rounds, set_up, tear_down)
{
    sotto_ledger *ledger = made_ledger();
    add_site();
    OWN(sotto_device) device = NULL;
    sotto_device_options options = scene_device_options(s, ledger);
    options.rounds_max = 256; /* more than wait for their time at once */
    assert_ok(sotto_device_new(s->site, &options, &device));
    for (uint64_t i = 1; i <= 600; i++) { /* a round each second, for ten minutes */
        uint64_t round = scene_decide(device);
        if (i % 3 == 0) assert_ok(sotto_device_finish(device, round, .5));
        scene_pass(s, 1000);
        assert_int_equal(s->asked_model, 1 + i * 1000 / REFRESH_MS);
        scene_settle(s);
    }
    assert_true(s->posted > 500);
}

/* ---- the end ------------------------------------------------------------------------------ */

TEST_WITH(a_site_is_freed_while_its_request_is_under_way, set_up, tear_down)
{
    s->to_terms = (http_answer){.act = HTTP_IS_SILENT};
    for (int i = 0; i < 3; i++) { /* before it asked, while it connects, while it waits */
        scene_add_site(s);
        if (i == 1) assert_ok(sotto_wire_turn(s->wire, 0));
        if (i == 2) scene_until(s, s->http->silent == 1);
        sotto_site_free(s->site);
        s->site = NULL;
        for (int more = 0; more < 5; more++) {
            scene_turn(s);
        }
        assert_int_equal(http_open(s->http), 0);
        assert_null(s->wire->sites);
        assert_int_equal(sotto_wire_due_ms(s->wire), UINT32_MAX);
    }
}

TEST_WITH(options_that_cannot_be_used_make_no_site, set_up, tear_down)
{
    s->options.url = "http://example.org/v1/experiments/00112233445566778899aabbccddeeff";
    assert_status(sotto_site_new(s->wire, &s->options, &s->site), SOTTO_E_FAULT);
    assert_null(s->site);
    s->options.url = s->url;
    s->options.refresh_ms = 9;
    assert_status(sotto_site_new(s->wire, &s->options, &s->site), SOTTO_E_FAULT);
    assert_null(s->wire->sites);
}
