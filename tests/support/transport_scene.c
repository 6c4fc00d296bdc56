/* An experiment at a scripted server, and who asks it. */
#include "transport_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double scene_context[SCENE_CELLS] = {.1, .2, .3, .4};

static uint64_t read_day(void *state)
{
    return ((const transport_scene *)state)->day_ms;
}

static uint64_t read_steady(void *state)
{
    return ((const transport_scene *)state)->steady_ms;
}

static sotto_status give_nothing(sotto_rng *rng, void *out, size_t bytes)
{
    (void)rng, (void)out, (void)bytes;
    return SOTTO_E_ENTROPY;
}

/* ---- the server --------------------------------------------------------------------------- */

static bool is_scripted(const http_answer *given)
{
    return given->act != HTTP_ANSWERS || given->status != 0;
}

static http_answer model_answer(transport_scene *scene, const http_request *request)
{
    static uint8_t bytes[SCENE_MODEL_BYTES_MAX];
    char wanted[32], value[256];
    size_t count = sotto_model_bytes(&scene->terms);
    snprintf(wanted, sizeof wanted, "\"%u\"", scene->model->epoch);
    const char *tag = http_header(request, "If-None-Match", value);
    if (tag != NULL && strcmp(tag, wanted) == 0) return (http_answer){.status = 304};
    assert_true(count <= sizeof bytes);
    assert_ok(sotto_model_encode(&scene->terms, scene->model, bytes, sizeof bytes));
    return (http_answer){.status = 200, .body = bytes, .body_bytes = count};
}

static http_answer serve(void *state, const http_request *request)
{
    transport_scene *scene = state;
    const char *leaf = strrchr(request->path, '/') + 1;
    if (strcmp(leaf, "terms") == 0) {
        scene->asked_terms++;
        if (is_scripted(&scene->to_terms)) return scene->to_terms;
        return (http_answer){
            .status = 200, .body = scene->terms_bytes, .body_bytes = scene->terms_count};
    }
    if (strcmp(leaf, "model") == 0) {
        scene->asked_model++;
        return is_scripted(&scene->to_model) ? scene->to_model : model_answer(scene, request);
    }
    assert_string_equal(leaf, "reports");
    scene->posted++;
    if (scene->reports_script != NULL) return scene->reports_script(scene, request);
    return is_scripted(&scene->to_reports) ? scene->to_reports : (http_answer){.status = 204};
}

const http_request *scene_post(const transport_scene *scene, size_t number)
{
    for (size_t i = 0; i < scene->http->requests; i++) {
        if (strcmp(scene->http->request[i]->method, "POST") != 0) continue;
        if (number-- == 0) return scene->http->request[i];
    }
    fail_msg("there was no such request");
    return NULL;
}

const http_request *scene_last_post(const transport_scene *scene)
{
    assert_true(scene->posted > 0);
    return scene_post(scene, scene->posted - 1);
}

/* ---- who asks ----------------------------------------------------------------------------- */

sotto_spec scene_spec(uint32_t reward_window_s, uint32_t send_spread_s)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.arms = 2;
    spec.reward_window_s = reward_window_s;
    spec.send_spread_s = send_spread_s;
    return spec;
}

void scene_url(uint16_t port, const uint8_t id[SOTTO_SPEC_ID_BYTES], char out[256])
{
    int at = snprintf(out, 256, "http://127.0.0.1:%u/v1/experiments/", port);
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        at += snprintf(out + at, 256 - (size_t)at, "%02x", id[i]);
    }
}

transport_scene *scene_new(sotto_spec spec, sotto_wire_options options)
{
    transport_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    assert_ok(sotto_spec_resolve(&spec, &scene->terms));
    scene->terms_count = sotto_terms_encode(&scene->terms, scene->terms_bytes);
    assert_ok(sotto_model_new(&scene->terms, &scene->model));
    scene->model->epoch = 3;
    scene->http = http_scene_new(serve, scene);
    scene->day_ms = SCENE_DAY_MS;
    scene->steady_ms = SCENE_STEADY_MS;
    assert_ok(sotto_wire_new(&options, &scene->wire));
    scene->wire->clock = (sotto__clock){read_day, read_steady, scene};
    scene->wire->rng.fill = give_nothing;
    scene->options = sotto_site_options_default();
    scene_url(scene->http->port, scene->terms.id, scene->url);
    scene->options.url = scene->url;
    scene->options.refresh_ms = 86400000; /* asks once a day, unless the test says otherwise */
    return scene;
}

void scene_add_site(transport_scene *scene)
{
    assert_ok(sotto_site_new(scene->wire, &scene->options, &scene->site));
}

transport_scene *scene_ready(sotto_spec spec, sotto_wire_options options)
{
    transport_scene *scene = scene_new(spec, options);
    scene_add_site(scene);
    scene_settle(scene);
    assert_int_equal(sotto_site_state_of(scene->site), SOTTO_SITE_READY);
    return scene;
}

transport_scene *scene_quick(uint32_t reward_window_s, uint32_t send_spread_s)
{
    return scene_ready(scene_spec(reward_window_s, send_spread_s), sotto_wire_options_default());
}

void scene_free(transport_scene *scene)
{
    sotto_site_free(scene->site);
    sotto_wire_free(scene->wire);
    http_scene_free(scene->http);
    sotto_model_free(scene->model);
    free(scene);
}

/* Whether a request of the wire has no answer yet and will get one. */
static bool is_busy(const transport_scene *scene)
{
    size_t running = 0;
    for (const sotto_site *site = scene->wire->sites; site != NULL; site = site->next) {
        running += site->get.running;
    }
    for (uint32_t i = 0; i < scene->wire->options.requests_max; i++) {
        running += scene->wire->post[i].request.running;
    }
    return running > scene->http->silent || sotto_wire_due_ms(scene->wire) == 0;
}

void scene_turn(transport_scene *scene)
{
    assert_ok(sotto_wire_turn(scene->wire, 0));
    http_run(scene->http);
    assert_ok(sotto_wire_turn(scene->wire, is_busy(scene) ? 1 : 0));
}

void scene_settle(transport_scene *scene)
{
    scene_turn(scene);
    scene_until(scene, !is_busy(scene));
    scene_turn(scene);
    scene_until(scene, !is_busy(scene));
}

void scene_pass(transport_scene *scene, uint64_t ms)
{
    scene->day_ms += ms;
    scene->steady_ms += ms;
    scene_settle(scene);
}

/* ---- a person ----------------------------------------------------------------------------- */

static void record(void *state, const sotto_device_event *event)
{
    transport_scene *scene = state;
    assert_true(scene->events < SCENE_EVENTS_MAX);
    scene_event *one = &scene->event[scene->events++];
    *one = (scene_event){.kind = event->kind, .round = event->round, .day_ms = scene->day_ms};
    one->has_frame = event->frame != NULL;
    assert_int_equal(event->frame_bytes, SCENE_FRAME_BYTES);
    if (one->has_frame) memcpy(one->frame, event->frame, SCENE_FRAME_BYTES);
    bool says_why = event->kind == SOTTO_DEVICE_PUT_OFF || event->kind == SOTTO_DEVICE_DROPPED;
    assert_true(says_why == (event->why != NULL));
    if (says_why) snprintf(one->why, sizeof one->why, "%s", event->why);
}

sotto_device_options scene_device_options(transport_scene *scene, sotto_ledger *ledger)
{
    sotto_device_options options = sotto_device_options_default();
    options.policy.epsilon_lifetime = INFINITY;
    options.ledger = ledger;
    options.event = record;
    options.state = scene;
    return options;
}

sotto_device *scene_device(transport_scene *scene, sotto_ledger *ledger)
{
    sotto_device *device;
    sotto_device_options options = scene_device_options(scene, ledger);
    assert_ok(sotto_device_new(scene->site, &options, &device));
    return device;
}

uint64_t scene_decide(sotto_device *device)
{
    uint64_t round;
    uint32_t arm;
    assert_ok(sotto_device_begin(device, &round));
    assert_ok(sotto_device_decide(device, round, scene_context, SCENE_CELLS, &arm));
    return round;
}

size_t scene_events(const transport_scene *scene, sotto_device_event_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->events; i++) {
        count += scene->event[i].kind == kind;
    }
    return count;
}

const scene_event *scene_last_event(const transport_scene *scene, sotto_device_event_kind kind)
{
    for (size_t i = scene->events; i > 0; i--) {
        if (scene->event[i - 1].kind == kind) return &scene->event[i - 1];
    }
    fail_msg("there was no such event");
    return NULL;
}
