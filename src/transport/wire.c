/* The connections of a process, and its turns. */
#include "core/float_environment.h"
#include "due.h"
#include "post.h"
#include "request.h"

#include <curl/curl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CACHED_MORE 4 /* connections for models, besides those for reports */
#define LOOK_MS 10u   /* so soon an answer may come */

/* A string of its own, or NULL for NULL; false if there is no memory. */
static bool copy_text(const char *text, const char **out)
{
    *out = text == NULL ? NULL : strdup(text);
    return text == NULL || *out != NULL;
}

static bool make_multi(sotto_wire *wire)
{
    long cached = (long)wire->options.requests_max + CACHED_MORE;
    wire->post_headers = sotto__request_headers(NULL);
    wire->multi = curl_multi_init();
    return wire->post_headers != NULL && wire->multi != NULL &&
           curl_multi_setopt(wire->multi, CURLMOPT_MAXCONNECTS, cached) == CURLM_OK &&
           curl_multi_setopt(wire->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) == CURLM_OK;
}

static bool make_posts(sotto_wire *wire)
{
    uint32_t count = wire->options.requests_max;
    wire->post = calloc(count, sizeof wire->post[0]);
    if (wire->post == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (sotto__post_make(&wire->post[i], wire) != SOTTO_OK) return false;
        wire->post[i].next = wire->idle;
        wire->idle = &wire->post[i];
    }
    return true;
}

sotto_status sotto_wire_new(const sotto_wire_options *options, sotto_wire **out)
{
    char text[SOTTO_FAULT_BYTES];
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (options == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_wire_options_fault(options, text) != NULL) return SOTTO_E_FAULT;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return SOTTO_E_MEMORY;
    sotto_wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL) {
        curl_global_cleanup();
        return SOTTO_E_MEMORY;
    }
    wire->options = *options;
    wire->clock = sotto__clock_system();
    wire->rng = sotto__system_rng();
    bool proxy = copy_text(options->proxy, &wire->options.proxy);
    bool ca_file = copy_text(options->ca_file, &wire->options.ca_file);
    if (!proxy || !ca_file || !make_multi(wire) || !make_posts(wire)) {
        sotto_wire_free(wire);
        return SOTTO_E_MEMORY;
    }
    *out = wire;
    return SOTTO_OK;
}

void sotto_wire_free(sotto_wire *wire)
{
    if (wire == NULL) return;
    for (uint32_t i = 0; wire->post != NULL && i < wire->options.requests_max; i++) {
        sotto__post_free(&wire->post[i]);
    }
    free(wire->post);
    if (wire->multi != NULL) curl_multi_cleanup(wire->multi);
    sotto__request_headers_free(wire->post_headers);
    sotto__alarms_free(&wire->alarms);
    free((char *)wire->options.proxy);
    free((char *)wire->options.ca_file);
    free(wire);
    curl_global_cleanup();
}

/* Until the first alarm. */
static uint32_t alarm_ms(const sotto_wire *wire)
{
    const sotto__alarm *first = sotto__alarms_first(&wire->alarms);
    if (first == NULL) return UINT32_MAX;
    uint64_t now_ms = sotto__wire_now_ms(wire);
    if (first->at_ms <= now_ms) return 0;
    return first->at_ms - now_ms < UINT32_MAX ? (uint32_t)(first->at_ms - now_ms) : UINT32_MAX - 1;
}

uint32_t sotto_wire_due_ms(const sotto_wire *wire)
{
    uint32_t due_ms = wire == NULL ? UINT32_MAX : alarm_ms(wire);
    return wire != NULL && wire->under_way > 0 && due_ms > LOOK_MS ? LOOK_MS : due_ms;
}

/* Starts all that is due. */
static void begin_due(sotto_wire *wire)
{
    sotto__alarms_ring(&wire->alarms, sotto__wire_now_ms(wire));
    for (sotto_site *site = wire->sites; site != NULL; site = site->next) {
        sotto__site_post(site);
    }
}

/* Lets libcurl work, and hands over what has ended; *ended says whether anything has. */
static sotto_status work(sotto_wire *wire, bool *ended)
{
    int running, left;
    *ended = false;
    if (curl_multi_perform(wire->multi, &running) != CURLM_OK) return SOTTO_E_MEMORY;
    for (CURLMsg *message = curl_multi_info_read(wire->multi, &left); message != NULL;
         message = curl_multi_info_read(wire->multi, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        sotto__request_end(message->easy_handle, (int)message->data.result);
        *ended = true;
    }
    return SOTTO_OK;
}

static sotto_status turn(sotto_wire *wire, uint32_t timeout_ms)
{
    bool ended;
    begin_due(wire);
    sotto_status status = work(wire, &ended);
    if (status != SOTTO_OK) return status;
    begin_due(wire);
    if (ended) timeout_ms = 0;
    uint32_t due_ms = alarm_ms(wire);
    if (due_ms < timeout_ms) timeout_ms = due_ms;
    if (timeout_ms > INT_MAX) timeout_ms = INT_MAX;
    if (timeout_ms > 0 && curl_multi_poll(wire->multi, NULL, 0, (int)timeout_ms, NULL) != CURLM_OK)
        return SOTTO_E_MEMORY;
    status = work(wire, &ended);
    if (status == SOTTO_OK) begin_due(wire);
    return status;
}

sotto_status sotto_wire_turn(sotto_wire *wire, uint32_t timeout_ms)
{
    SOTTO__DEFAULT_FLOATS;
    if (wire == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(turn)(wire, timeout_ms);
}
