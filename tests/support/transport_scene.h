/* An experiment at a scripted server, and a wire and a site that ask it, by clocks that a test sets. */
#ifndef SOTTO_TRANSPORT_SCENE_H
#define SOTTO_TRANSPORT_SCENE_H

#include "http_scene.h"
#include "made.h"
#include "transport/inner.h"
#include "transport/transport.h"

#define SCENE_DAY_MS UINT64_C(1790000000000)
#define SCENE_STEADY_MS UINT64_C(5000000)
#define SCENE_FRAME_BYTES 42u
#define SCENE_MODEL_BYTES_MAX 1024u
#define SCENE_EVENTS_MAX 4096u
#define SCENE_CELLS 4u
#define SCENE_HANGS_MS 20000 /* nothing takes so long unless it hangs */

extern const double scene_context[SCENE_CELLS];

/* An event with copies of what it pointed to. */
typedef struct scene_event {
    sotto_device_event_kind kind;
    uint64_t round;
    bool has_frame;
    uint8_t frame[SCENE_FRAME_BYTES];
    char why[SOTTO_FAULT_BYTES];
    uint64_t day_ms;
} scene_event;

typedef struct transport_scene {
    http_scene *http;
    sotto_terms terms;
    uint8_t terms_bytes[SOTTO_TERMS_BYTES];
    size_t terms_count;
    sotto_model *model; /* the server's */
    /* What the server says. Right answers if `act` and `status` are 0. */
    http_answer to_terms, to_model, to_reports;
    http_script *reports_script;             /* NULL: to_reports */
    size_t asked_terms, asked_model, posted; /* requests so far */
    /* The device's side. */
    uint64_t day_ms, steady_ms;
    sotto_wire *wire;
    sotto_site_options options;
    char url[256], relay[256];
    sotto_site *site;
    scene_event event[SCENE_EVENTS_MAX];
    size_t events;
} transport_scene;

/* Shared parameters, 2 arms, 2 coordinates: 4 numbers of context, reports of SCENE_FRAME_BYTES. */
sotto_spec scene_spec(uint32_t reward_window_s, uint32_t send_spread_s);
/* A server and a wire with these options, without a site. Waits have no random part. */
transport_scene *scene_new(sotto_spec spec, sotto_wire_options options);
/* With a site that has terms and model. */
transport_scene *scene_ready(sotto_spec spec, sotto_wire_options options);
/* With default options. */
transport_scene *scene_quick(uint32_t reward_window_s, uint32_t send_spread_s);
void scene_free(transport_scene *scene);
OWNED(transport_scene, scene_free)
OWNED(sotto_device, sotto_device_free)
OWNED(sotto_wire, sotto_wire_free)
/* A site with scene->options. */
void scene_add_site(transport_scene *scene);
/* http://127.0.0.1:PORT/v1/experiments/ID */
void scene_url(uint16_t port, const uint8_t id[SOTTO_SPEC_ID_BYTES], char out[256]);

/* One turn, and the server's. */
void scene_turn(transport_scene *scene);
/* Turns until all is done that is due now: nothing is on its way but what found silence. */
void scene_settle(transport_scene *scene);
/* Turns until the condition holds; fails if it never does. */
#define scene_until(scene, condition)                                                              \
    for (int turn_ = 0; !(condition); turn_++) {                                                   \
        if (turn_ > SCENE_HANGS_MS) fail_msg("never: %s", #condition);                             \
        scene_turn(scene);                                                                         \
    }
/* Both clocks go on, and what is due then is done. */
void scene_pass(transport_scene *scene, uint64_t ms);

/* The last request for reports. */
const http_request *scene_last_post(const transport_scene *scene);
/* The request for reports of this number, from 0. */
const http_request *scene_post(const transport_scene *scene, size_t number);

/* Options of a device that records its events, under a policy without a limit on rounds. */
sotto_device_options scene_device_options(transport_scene *scene, sotto_ledger *ledger);
/* A device with these on scene->site. */
sotto_device *scene_device(transport_scene *scene, sotto_ledger *ledger);
/* Begins and decides a round. */
uint64_t scene_decide(sotto_device *device);
/* Events of a kind so far. */
size_t scene_events(const transport_scene *scene, sotto_device_event_kind kind);
/* The last event of a kind; fails if there is none. */
const scene_event *scene_last_event(const transport_scene *scene, sotto_device_event_kind kind);

/* The sentence has these words. */
#define assert_says(sentence, words)                                                               \
    do {                                                                                           \
        const char *said_ = (sentence);                                                            \
        assert_non_null(said_);                                                                    \
        if (strstr(said_, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", said_, words);    \
    } while (0)

#endif
