/* Makes requests of the parcels that are ready, and gives the answers to their senders. */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <stdlib.h>

#define NOT_YET_MS (60u * 60u * 1000u)
#define BODY_BYTES_MAX (1u << 20) /* docs/protocol.md, section 13 */

static void finish_post(sotto__request *request, const sotto_answer *answer);

sotto_status sotto__post_make(sotto__post *post, sotto_wire *wire)
{
    post->parcel = malloc(wire->options.batch_max * sizeof post->parcel[0]);
    if (post->parcel == NULL) return SOTTO_E_MEMORY;
    sotto__request_make(&post->request, wire, finish_post);
    return SOTTO_OK;
}

void sotto__post_free(sotto__post *post)
{
    sotto__request_stop(&post->request);
    free(post->parcel);
    free(post->frames);
}

/* ---- parcels ------------------------------------------------------------------------------ */

static void add_last(sotto_site *site, sotto__parcel *parcel)
{
    parcel->ready = true;
    parcel->next = NULL;
    parcel->previous = site->last;
    *(site->last == NULL ? &site->first : &site->last->next) = parcel;
    site->last = parcel;
}

static void add_first(sotto_site *site, sotto__parcel *parcel)
{
    parcel->ready = true;
    parcel->previous = NULL;
    parcel->next = site->first;
    *(site->first == NULL ? &site->last : &site->first->previous) = parcel;
    site->first = parcel;
}

static void take_out(sotto__parcel *parcel)
{
    sotto_site *site = parcel->site;
    *(parcel->previous == NULL ? &site->first : &parcel->previous->next) = parcel->next;
    *(parcel->next == NULL ? &site->last : &parcel->next->previous) = parcel->previous;
    parcel->ready = false;
}

static void be_ready(sotto__alarm *alarm)
{
    sotto__parcel *parcel = (sotto__parcel *)alarm;
    add_last(parcel->site, parcel);
}

void sotto__parcel_make(sotto__parcel *parcel, sotto_site *site, const sotto__sender *sender,
                        uint64_t drop_at_ms)
{
    *parcel = (sotto__parcel){
        .alarm = {.place = SOTTO__ALARM_OFF, .ring = be_ready},
        .site = site,
        .sender = sender,
        .drop_at_ms = drop_at_ms,
    };
}

void sotto__parcel_send(sotto__parcel *parcel, uint64_t at_ms)
{
    assert(!parcel->ready && parcel->post == NULL);
    sotto__alarm_set(&parcel->site->wire->alarms, &parcel->alarm, at_ms);
}

void sotto__parcel_cancel(sotto__parcel *parcel)
{
    sotto__alarm_stop(&parcel->site->wire->alarms, &parcel->alarm);
    if (parcel->ready) take_out(parcel);
    if (parcel->post != NULL) parcel->post->parcel[parcel->place] = NULL;
    parcel->post = NULL;
}

/* ---- requests ----------------------------------------------------------------------------- */

static bool make_room(sotto__post *post, size_t bytes)
{
    if (bytes <= post->capacity_bytes) return true;
    uint8_t *frames = realloc(post->frames, bytes);
    if (frames == NULL) return false;
    post->frames = frames;
    post->capacity_bytes = bytes;
    return true;
}

/* Drops the parcels at the head of the list that are too old. */
static void drop_old(sotto_site *site, uint64_t now_ms)
{
    while (site->first != NULL && site->first->drop_at_ms <= now_ms) {
        sotto__parcel *parcel = site->first;
        take_out(parcel);
        parcel->sender->drop(parcel,
                             "report: dropped, because it could not be sent within age_max_s");
    }
}

/* The most frames in one request: no more bytes than a server takes, but at least one frame. */
static uint32_t batch_most(const sotto_site *site)
{
    size_t fit = BODY_BYTES_MAX / site->frame_bytes, most = site->batch_max;
    if (fit < most) most = fit > 0 ? fit : 1;
    return (uint32_t)most;
}

/* Seals parcels that are ready into a request. A parcel that must go alone gets a request of its
 * own. */
static void gather(sotto_site *site, sotto__post *post)
{
    uint32_t most = batch_most(site);
    uint64_t now_ms = sotto__wire_now_ms(site->wire);
    post->count = 0;
    while (post->count < most) {
        drop_old(site, now_ms);
        sotto__parcel *parcel = site->first;
        if (parcel == NULL || (parcel->alone && post->count > 0)) return;
        uint8_t *frame = post->frames + post->count * site->frame_bytes;
        take_out(parcel);
        if (!parcel->sender->seal(parcel, frame)) continue;
        parcel->frame = frame;
        parcel->post = post;
        parcel->place = post->count;
        post->parcel[post->count++] = parcel;
        if (parcel->alone) return;
    }
}

static void be_idle(sotto__post *post)
{
    sotto_wire *wire = post->request.wire;
    post->site = NULL;
    post->count = 0;
    post->next = wire->idle;
    wire->idle = post;
}

static sotto__parcel *release(sotto__post *post, uint32_t i)
{
    sotto__parcel *parcel = post->parcel[i];
    if (parcel != NULL) parcel->post = NULL;
    return parcel;
}

/* Puts all parcels of a request back into the list, in their old order, and makes the site wait.
 * Requests that were under way together usually fail together; they count as one failure, with one
 * wait. */
static void put_off(sotto__post *post, uint64_t first_ms, uint64_t least_ms, const char *why)
{
    sotto_site *site = post->site;
    uint64_t now_ms = sotto__wire_now_ms(site->wire);
    if (post->begun_ms >= site->failed_ms) {
        site->failed_ms = now_ms + 1;
        site->post_after_ms =
            now_ms + sotto__backoff_next(&site->post_backoff, first_ms, least_ms, &site->wire->rng);
    }
    for (uint32_t i = post->count; i > 0; i--) {
        sotto__parcel *parcel = release(post, i - 1);
        if (parcel == NULL) continue;
        add_first(site, parcel);
        parcel->sender->put_off(parcel, why);
    }
}

static void acknowledge(sotto__post *post)
{
    sotto__backoff_reset(&post->site->post_backoff);
    for (uint32_t i = 0; i < post->count; i++) {
        sotto__parcel *parcel = release(post, i);
        if (parcel != NULL) parcel->sender->acknowledged(parcel);
    }
}

static void drop(sotto__post *post, const char *why)
{
    for (uint32_t i = 0; i < post->count; i++) {
        sotto__parcel *parcel = release(post, i);
        if (parcel != NULL) parcel->sender->drop(parcel, why);
    }
}

/* The server took no frame of the request: its parcels go again at once, in their old order. */
static void part(sotto__post *post, bool alone)
{
    for (uint32_t i = post->count; i > 0; i--) {
        sotto__parcel *parcel = release(post, i - 1);
        if (parcel == NULL) continue;
        parcel->alone = parcel->alone || alone;
        parcel->frame = NULL;
        add_first(post->site, parcel);
    }
}

/* The server takes fewer frames per request. From now on, requests have at most half as many. */
static void halve(sotto__post *post)
{
    sotto_site *site = post->site;
    if (post->count / 2 < site->batch_max) site->batch_max = post->count / 2;
    part(post, false);
}

/* The epoch of a report has not begun: this report waits, but the others need not. */
static void wait_for_epoch(sotto__post *post, const char *why)
{
    sotto__parcel *parcel = release(post, 0);
    if (parcel == NULL) return;
    sotto__backoff hour = {0};
    uint64_t wait_ms = sotto__backoff_next(&hour, NOT_YET_MS, 0, &post->site->wire->rng);
    sotto__parcel_send(parcel, sotto__wire_now_ms(post->site->wire) + wait_ms);
    parcel->sender->put_off(parcel, why);
}

/* The experiment is gone. No more rounds begin, because their epsilon would be spent for
 * nothing. */
static void end_site(sotto_site *site, const sotto_fault *why)
{
    site->state = SOTTO_SITE_GONE;
    site->refused = SOTTO_E_FAULT;
    site->fault = *why;
    sotto__alarm_stop(&site->wire->alarms, &site->get_alarm);
}

static void settle(sotto__post *post, const sotto_answer *answer)
{
    sotto_fault fault;
    const char *why = fault.sentence;
    sotto__answer_verdict verdict = sotto__answer_judge(answer, &fault);
    if (verdict != SOTTO__AGAIN) post->site->paused = verdict == SOTTO__PAUSED;
    switch (verdict) {
    case SOTTO__TAKEN: acknowledge(post); return;
    case SOTTO__LOST:
        end_site(post->site, &fault);
        drop(post, why);
        return;
    case SOTTO__NOT_YET:
        if (post->count > 1)
            part(post, true); /* sent alone, each shows whether it was the one */
        else
            wait_for_epoch(post, why);
        return;
    case SOTTO__REFUSED:
        if (post->count > 1)
            part(post, true);
        else
            drop(post, why);
        return;
    case SOTTO__TOO_LONG:
        if (post->count > 1)
            halve(post);
        else
            put_off(post, SOTTO__BACKOFF_FIRST_MS, answer->retry_after_ms, why);
        return;
    case SOTTO__PAUSED: put_off(post, SOTTO__BACKOFF_PAUSED_MS, 0, why); return;
    case SOTTO__AGAIN: put_off(post, SOTTO__BACKOFF_FIRST_MS, answer->retry_after_ms, why); return;
    }
}

static void finish_post(sotto__request *request, const sotto_answer *answer)
{
    sotto__post *post = (sotto__post *)request;
    post->site->under_way--;
    settle(post, answer);
    be_idle(post);
}

/* Settles a request that could not begin, for lack of memory. */
static void fail(sotto__post *post)
{
    const sotto_answer none = {.why = sotto_status_text(SOTTO_E_MEMORY)};
    settle(post, &none);
    be_idle(post);
}

void sotto__posts_leave(sotto_site *site)
{
    for (uint32_t i = 0; i < site->wire->options.requests_max; i++) {
        sotto__post *post = &site->wire->post[i];
        if (post->site != site) continue;
        sotto__request_stop(&post->request);
        be_idle(post);
    }
}

static void post_some(sotto_site *site)
{
    sotto_wire *wire = site->wire;
    sotto__post *post = wire->idle;
    wire->idle = post->next;
    post->site = site;
    post->count = 0;
    post->begun_ms = sotto__wire_now_ms(wire);
    if (!make_room(post, batch_most(site) * site->frame_bytes)) {
        fail(post);
        return;
    }
    gather(site, post);
    if (post->count == 0) {
        be_idle(post);
        return;
    }
    const char *report_key = site->report_key[0] != '\0' ? site->report_key : NULL;
    if (sotto__request_post(&post->request, &site->relay, report_key, post->frames,
                            post->count * site->frame_bytes) != SOTTO_OK) {
        fail(post);
        return;
    }
    site->under_way++;
}

/* True if another request may begin. After a failure, only one request at a time is made, to find
 * out whether the server answers again. */
static bool may_post(const sotto_site *site, uint64_t now_ms)
{
    if (site->first == NULL || site->wire->idle == NULL || now_ms < site->post_after_ms)
        return false;
    return site->post_backoff.wait_ms == 0 || site->under_way == 0;
}

void sotto__site_post(sotto_site *site)
{
    uint64_t now_ms = sotto__wire_now_ms(site->wire);
    drop_old(site, now_ms);
    while (may_post(site, now_ms)) {
        post_some(site);
    }
    sotto__alarms *alarms = &site->wire->alarms;
    sotto__alarm_stop(alarms, &site->post_alarm);
    if (site->first == NULL || now_ms >= site->post_after_ms) return; /* a request ends first */
    uint64_t at_ms = site->post_after_ms;
    if (site->first->drop_at_ms < at_ms) at_ms = site->first->drop_at_ms;
    sotto__alarm_set(alarms, &site->post_alarm, at_ms);
}
