/* One experiment at one server: fetches the terms once, then the model repeatedly. */
#include "core/core.h"
#include "inner.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void ask(sotto_site *site);

static void ask_at(sotto_site *site, uint64_t wait_ms)
{
    sotto__alarm_set(&site->wire->alarms, &site->get_alarm,
                     sotto__wire_now_ms(site->wire) + wait_ms);
}

/* Schedules the next request for the model. The random part keeps devices that began at the same
 * time from asking at the same time. */
static void ask_next(sotto_site *site)
{
    uint64_t part = 0;
    sotto__backoff_reset(&site->get_backoff);
    if (sotto__draw_below(&site->wire->rng, site->refresh_ms / 4 + 1, &part) != SOTTO_OK) part = 0;
    ask_at(site, site->refresh_ms + part);
}

static void ask_again(sotto_site *site, uint64_t least_ms)
{
    ask_at(site, sotto__backoff_next(&site->get_backoff, SOTTO__BACKOFF_FIRST_MS, least_ms,
                                     &site->wire->rng));
}

static sotto_status read_terms(sotto_site *site, const sotto_answer *answer)
{
    sotto_status status = sotto_terms_bytes_fault(answer->body, answer->body_bytes, &site->fault);
    if (status != SOTTO_OK) return status;
    status = sotto_terms_decode(answer->body, answer->body_bytes, &site->terms);
    if (status != SOTTO_OK) return sotto__fault_status(&site->fault, status);
    if (memcmp(site->terms.id, site->url.spec_id, SOTTO_SPEC_ID_BYTES) == 0) return SOTTO_OK;
    sotto__refuse(&site->fault, "terms: they belong to another experiment than the URL");
    return SOTTO_E_SPEC;
}

/* Bad terms of the right length are refused for good, because terms never change. Bytes of another
 * length are a page of an intermediary or an answer that was cut off, which may be temporary: asks
 * again. */
static void take_terms(sotto_site *site, const sotto_answer *answer)
{
    bool whole = answer->body_bytes == SOTTO_TERMS_BYTES;
    site->refused = read_terms(site, answer);
    if (site->refused != SOTTO_OK && !whole) {
        ask_again(site, 0);
        return;
    }
    if (site->refused != SOTTO_OK) {
        site->state = SOTTO_SITE_REFUSED;
        return;
    }
    if (sotto_model_new(&site->terms, &site->model) != SOTTO_OK ||
        sotto_model_new(&site->terms, &site->spare) != SOTTO_OK) {
        sotto_model_free(site->model);
        site->model = NULL;
        site->refused = sotto__fault_status(&site->fault, SOTTO_E_MEMORY); /* temporary */
        ask_again(site, 0);
        return;
    }
    site->has_terms = true;
    site->frame_bytes = sotto_report_bytes(&site->terms);
    site->batch_max = site->wire->options.batch_max;
    ask(site);
}

static void take_model(sotto_site *site, const sotto_answer *answer)
{
    site->refused = sotto_model_decode(&site->terms, answer->body, answer->body_bytes, site->spare);
    if (site->refused != SOTTO_OK) {
        sotto__refuse(&site->fault, "model: %zu bytes are not a valid model: %s; allowed %zu bytes",
                      answer->body_bytes, sotto_status_text(site->refused),
                      sotto_model_bytes(&site->terms));
        ask_again(site, 0);
        return;
    }
    if (site->has_model && site->spare->epoch < site->model->epoch) {
        site->refused = SOTTO_E_EPOCH;
        sotto__refuse(&site->fault,
                      "model: epoch %u is older than epoch %u, which this server sent before; "
                      "the newer model is kept",
                      site->spare->epoch, site->model->epoch);
        ask_again(site, 0);
        return;
    }
    sotto_model *model = site->spare;
    site->spare = site->model;
    site->model = model;
    site->has_model = true;
    site->state = SOTTO_SITE_READY;
    ask_next(site);
}

static void finish_get(sotto__request *request, const sotto_answer *answer)
{
    sotto_site *site = (sotto_site *)request;
    const char *what = site->has_terms ? "model" : "terms";
    if (site->state == SOTTO_SITE_GONE) return; /* an answer to reports said so */
    if (answer->status == 200 && !answer->too_long) {
        (site->has_terms ? take_model : take_terms)(site, answer);
        return;
    }
    if (answer->status == 304 && site->has_model) {
        site->refused = SOTTO_OK;
        ask_next(site);
        return;
    }
    site->refused = sotto__answer_fault(answer, what, &site->fault);
    bool gone = answer->status == 404 || answer->status == 410;
    if (gone) site->state = SOTTO_SITE_GONE;
    if (!gone) ask_again(site, answer->retry_after_ms);
}

/* Requests terms or model. Reads one byte more than they have, so that longer bodies are refused,
 * not cut. */
static void ask(sotto_site *site)
{
    size_t most = 1 + (site->has_terms ? sotto_model_bytes(&site->terms) : SOTTO_TERMS_BYTES);
    const uint32_t *epoch = site->has_model ? &site->model->epoch : NULL;
    sotto_status status = sotto__request_get(&site->get, &site->url,
                                             site->has_terms ? "model" : "terms", most, epoch);
    if (status == SOTTO_OK) return;
    site->refused = sotto__fault_status(&site->fault, status);
    ask_again(site, 0);
}

static void ring_get(sotto__alarm *alarm)
{
    ask((sotto_site *)((char *)alarm - offsetof(sotto_site, get_alarm)));
}

static void ring_post(sotto__alarm *alarm)
{
    (void)alarm; /* it only wakes the turn, which also posts */
}

sotto_status sotto_site_new(sotto_wire *wire, const sotto_site_options *options, sotto_site **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (wire == NULL || options == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_site_options_fault(options, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_site *site = calloc(1, sizeof *site);
    if (site == NULL) return SOTTO_E_MEMORY;
    sotto_status status = sotto__wire_add_alarms(wire, 2);
    if (status != SOTTO_OK) {
        free(site);
        return status;
    }
    sotto__request_make(&site->get, wire, finish_get);
    if (options->report_key != NULL) strcpy(site->report_key, options->report_key);
    sotto__url_fault("url", options->url, &site->url, NULL);
    site->relay = site->url;
    if (options->relay != NULL) sotto__url_fault("relay", options->relay, &site->relay, NULL);
    site->wire = wire;
    site->refresh_ms = options->refresh_ms;
    site->get_alarm = (sotto__alarm){.place = SOTTO__ALARM_OFF, .ring = ring_get};
    site->post_alarm = (sotto__alarm){.place = SOTTO__ALARM_OFF, .ring = ring_post};
    site->next = wire->sites;
    wire->sites = site;
    ask_at(site, 0);
    *out = site;
    return SOTTO_OK;
}

void sotto_site_free(sotto_site *site)
{
    if (site == NULL) return;
    sotto_wire *wire = site->wire;
    sotto_site **at = &wire->sites;
    while (*at != site) {
        at = &(*at)->next;
    }
    *at = site->next;
    sotto__posts_leave(site);
    sotto__alarm_stop(&wire->alarms, &site->get_alarm);
    sotto__alarm_stop(&wire->alarms, &site->post_alarm);
    sotto__wire_remove_alarms(wire, 2);
    sotto__request_stop(&site->get);
    sotto_model_free(site->model);
    sotto_model_free(site->spare);
    free(site);
}

sotto_site_state sotto_site_state_of(const sotto_site *site)
{
    return site == NULL ? SOTTO_SITE_REFUSED : site->state;
}

const sotto_terms *sotto_site_terms(const sotto_site *site)
{
    return site == NULL || !site->has_terms ? NULL : &site->terms;
}

const sotto_model *sotto_site_model(const sotto_site *site)
{
    return site == NULL || !site->has_model ? NULL : site->model;
}

sotto_status sotto_site_fault(const sotto_site *site, sotto_fault *fault)
{
    if (site == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (site->refused != SOTTO_OK && fault != NULL) *fault = site->fault;
    return site->refused;
}
