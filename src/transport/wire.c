/* The connections of a process and the turns that drive them. */
#include "core/core.h"
#include "inner.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MS 10u /* while requests are under way, a turn is due this often, to take answers */

/* Copies a string; NULL stays NULL. False if there is no memory. */
static bool copy_text(const char *text, const char **out)
{
    *out = text == NULL ? NULL : strdup(text);
    return text == NULL || *out != NULL;
}

static sotto_status make_requests(sotto_wire *wire, const sotto_requests *given)
{
    wire->options.requests = NULL; /* the caller's */
    if (given == NULL) {
        sotto_status status = sotto__requests_new(&wire->options, &wire->requests);
        wire->system = wire->requests.state;
        return status;
    }
    wire->requests = *given;
    return SOTTO_OK;
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
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (options == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_wire_options_fault(options, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL) return SOTTO_E_MEMORY;
    wire->options = *options;
    wire->clock = sotto__clock_system();
    wire->rng = sotto__system_rng();
    bool proxy = copy_text(options->proxy, &wire->options.proxy);
    bool ca_file = copy_text(options->ca_file, &wire->options.ca_file);
    if (!proxy || !ca_file || make_requests(wire, options->requests) != SOTTO_OK ||
        !make_posts(wire)) {
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
    sotto__requests_free(wire->system);
    sotto__alarms_free(&wire->alarms);
    free((char *)wire->options.proxy);
    free((char *)wire->options.ca_file);
    free(wire);
}

/* Milliseconds until the first alarm; UINT32_MAX if none is set. */
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
    if (wire == NULL) return UINT32_MAX;
    uint32_t due_ms = alarm_ms(wire);
    bool looks = wire->requests.turn != NULL && wire->under_way > 0;
    return looks && due_ms > LOOK_MS ? LOOK_MS : due_ms;
}

void sotto_wire_sending(sotto_wire *wire, bool on)
{
    if (wire == NULL) return;
    wire->silent = !on;
    for (sotto_site *site = wire->sites; on && site != NULL; site = site->next) {
        sotto__alarm_set(&wire->alarms, &site->post_alarm, sotto__wire_now_ms(wire));
    }
}

/* Rings the alarms that are due, then posts the reports that are ready. */
static void begin_due(sotto_wire *wire)
{
    sotto__alarms_ring(&wire->alarms, sotto__wire_now_ms(wire));
    for (sotto_site *site = wire->sites; site != NULL && !wire->silent; site = site->next) {
        sotto__site_post(site);
    }
}

/* Takes answers; waits at most timeout_ms for one. */
static sotto_status take_answers(sotto_wire *wire, uint32_t timeout_ms)
{
    if (wire->requests.turn == NULL) return SOTTO_OK;
    return SOTTO__ASK(wire->requests.turn(wire->requests.state, timeout_ms));
}

static sotto_status turn(sotto_wire *wire, uint32_t timeout_ms)
{
    uint64_t answered = wire->answered;
    begin_due(wire);
    sotto_status status = take_answers(wire, 0);
    if (status != SOTTO_OK) return status;
    begin_due(wire);
    if (wire->answered != answered) timeout_ms = 0;
    uint32_t due_ms = alarm_ms(wire);
    status = take_answers(wire, due_ms < timeout_ms ? due_ms : timeout_ms);
    if (status == SOTTO_OK) begin_due(wire);
    return status;
}

sotto_status sotto_wire_turn(sotto_wire *wire, uint32_t timeout_ms)
{
    SOTTO__DEFAULT_FLOATS;
    if (wire == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(turn)(wire, timeout_ms);
}
