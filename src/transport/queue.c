/* The reports of a device that wait: a list beside the ledger, which has their bytes. */
#include "queue.h"
#include "core/fault.h"
#include "due.h"
#include "places.h"
#include "post.h"

#include <stdlib.h>
#include <string.h>

static const sotto__sender sender;

static void tell(const sotto__device_report *report, sotto_device_event_kind kind, const char *why)
{
    const sotto_device *device = report->device;
    if (device->options.event == NULL) return;
    const sotto_device_event event = {
        .kind = kind,
        .round = report->entry,
        .frame = report->parcel.frame,
        .frame_bytes = device->site->frame_bytes,
        .why = why,
    };
    device->options.event(device->options.state, &event);
}

static void take_out(sotto__device_report *report)
{
    sotto_device *device = report->device;
    *(report->previous == NULL ? &device->oldest : &report->previous->next) = report->next;
    *(report->next == NULL ? &device->newest : &report->next->previous) = report->previous;
    device->waiting--;
    sotto__wire_remove_alarms(device->site->wire, 1);
    free(report);
}

static void forget(sotto__device_report *report)
{
    const sotto_device *device = report->device;
    sotto__device_round *open = sotto__device_find(device, report->entry);
    if (open != NULL) {
        sotto_round_free(open->round); /* with its secret */
        open->round = NULL;
        sotto__device_forget(open);
    }
    take_out(report);
}

/* Whether the ledger still has it to send. If it does not answer, it may. */
static bool is_unsent(const sotto__device_report *report, bool *answers)
{
    sotto_unsent unsent;
    sotto_status status =
        sotto_ledger_unsent(report->device->options.ledger, report->entry - 1, &unsent);
    *answers = status == SOTTO_OK;
    return !*answers || unsent.entry == report->entry;
}

static void wait_until(sotto__device_report *report, uint64_t at_ms)
{
    uint64_t set_ms = report->parcel.alarm.at_ms; /* of one too many: its time may be to come */
    report->device->counts.put_off++;
    tell(report, SOTTO_DEVICE_PUT_OFF, report->device->fault);
    report->parcel.frame = NULL;
    sotto__parcel_send(&report->parcel, set_ms > at_ms ? set_ms : at_ms);
}

/* A ledger that is locked lets each call wait. So one that did not answer one report is not asked about the
 * others, and they all wait together. */
static bool rests(sotto__device_report *report)
{
    sotto_device *device = report->device;
    if (sotto__wire_now_ms(device->site->wire) >= device->ledger_after_ms) return false;
    sotto__device_refuse(device, SOTTO_E_LEDGER);
    wait_until(report, device->ledger_after_ms);
    return true;
}

/* The ledger refused. Another process may have sent the report, or given it up; otherwise it is tried
 * again later. */
static void try_later(sotto__device_report *report, sotto_status status)
{
    sotto_device *device = report->device;
    sotto_wire *wire = device->site->wire;
    bool answers;
    sotto__device_refuse(device, status);
    if (!is_unsent(report, &answers)) {
        forget(report);
        return;
    }
    uint64_t at_ms =
        sotto__wire_now_ms(wire) +
        sotto__backoff_next(&device->ledger_backoff, SOTTO__BACKOFF_FIRST_MS, 0, &wire->rng);
    if (!answers) device->ledger_after_ms = at_ms;
    wait_until(report, at_ms);
}

/* ---- what a site asks of the sender ------------------------------------------------------- */

/* A round that nobody finished leaves the report of the default reward. */
static bool seal(sotto__parcel *parcel, uint8_t *frame)
{
    sotto__device_report *report = (sotto__device_report *)parcel;
    sotto_device *device = report->device;
    sotto__device_round *open = sotto__device_find(device, report->entry);
    size_t bytes = device->site->frame_bytes;
    if (rests(report)) return false;
    sotto_status status =
        open != NULL && !open->finished
            ? sotto_round_seal(open->round, frame, bytes)
            : sotto_ledger_seal(device->options.ledger, report->entry, frame, bytes);
    if (status != SOTTO_OK) {
        try_later(report, status);
        return false;
    }
    sotto__backoff_reset(&device->ledger_backoff);
    if (open != NULL) sotto__device_forget(open);
    if (!report->sent) {
        device->counts.sent++;
        if (!report->rewarded) device->counts.sent_default++;
    }
    report->sent = true;
    parcel->frame = frame;
    tell(report, SOTTO_DEVICE_SENT, NULL);
    return true;
}

static void acknowledged(sotto__parcel *parcel)
{
    sotto__device_report *report = (sotto__device_report *)parcel;
    sotto_device *device = report->device;
    if (rests(report)) return; /* as below */
    sotto_status status = sotto_ledger_acknowledge(device->options.ledger, report->entry);
    if (status != SOTTO_OK) {
        try_later(report, status); /* the same bytes again do no harm */
        return;
    }
    device->counts.acknowledged++;
    device->fault = NULL;
    tell(report, SOTTO_DEVICE_ACKNOWLEDGED, NULL);
    forget(report);
}

static void put_off(sotto__parcel *parcel, const char *why)
{
    sotto__device_report *report = (sotto__device_report *)parcel;
    sotto_device *device = report->device;
    device->fault = sotto__fault(device->text, "%s", why);
    device->counts.put_off++;
    tell(report, SOTTO_DEVICE_PUT_OFF, device->fault);
    parcel->frame = NULL;
}

static void drop(sotto__parcel *parcel, const char *why)
{
    sotto__device_report *report = (sotto__device_report *)parcel;
    sotto_device *device = report->device;
    if (rests(report)) return;
    sotto_status status = sotto_ledger_drop(device->options.ledger, report->entry);
    if (status != SOTTO_OK) {
        try_later(report, status);
        return;
    }
    device->fault = sotto__fault(device->text, "%s", why);
    device->counts.dropped++;
    tell(report, SOTTO_DEVICE_DROPPED, device->fault);
    forget(report);
}

static const sotto__sender sender = {seal, acknowledged, put_off, drop};

/* ---- the queue ---------------------------------------------------------------------------- */

/* If there are too many: the oldest that is not under way, and never the newest. */
static void make_room(sotto_device *device)
{
    sotto__device_report *report = device->oldest;
    while (report != NULL && report->parcel.post != NULL) {
        report = report->next;
    }
    if (device->waiting <= device->options.queue_max || report == device->newest || report == NULL)
        return;
    sotto__parcel_cancel(&report->parcel);
    drop(&report->parcel, "report: too many wait to be sent, so the oldest is given up");
}

sotto_status sotto__device_prepare(sotto_device *device, uint64_t entry, sotto__device_report **out)
{
    sotto_status status = sotto__wire_add_alarms(device->site->wire, 1);
    if (status != SOTTO_OK) return status;
    sotto__device_report *report = calloc(1, sizeof *report);
    if (report == NULL) {
        sotto__wire_remove_alarms(device->site->wire, 1);
        return SOTTO_E_MEMORY;
    }
    sotto__parcel_make(&report->parcel, device->site, &sender, UINT64_MAX);
    report->device = device;
    report->entry = entry;
    report->previous = device->newest;
    *(device->newest == NULL ? &device->oldest : &device->newest->next) = report;
    device->newest = report;
    device->waiting++;
    *out = report;
    return SOTTO_OK;
}

void sotto__device_unprepare(sotto__device_report *report)
{
    if (report != NULL) take_out(report);
}

void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms)
{
    sotto_device *device = report->device;
    uint64_t at_ms = sotto__wire_now_ms(device->site->wire) + wait_ms;
    report->parcel.drop_at_ms = at_ms + (uint64_t)device->options.age_max_s * 1000;
    sotto__parcel_send(&report->parcel, at_ms);
    make_room(device);
}

/* By the time of day: how long ago it was to leave. */
static uint64_t late_ms(const sotto_unsent *unsent, uint64_t day_ms)
{
    bool is_late = unsent->send_at_ms != 0 && day_ms > unsent->send_at_ms;
    return is_late ? day_ms - unsent->send_at_ms : 0;
}

sotto_status sotto__device_recover(sotto_device *device)
{
    const sotto__clock *clock = &device->site->wire->clock;
    uint64_t day_ms = clock->day_ms(clock->state);
    sotto__device_report *report;
    sotto_unsent unsent = {.entry = 0};
    for (;;) {
        sotto_status status = sotto_ledger_unsent(device->options.ledger, unsent.entry, &unsent);
        if (status != SOTTO_OK || unsent.entry == 0) return status;
        if (memcmp(unsent.spec_id, device->site->terms.id, SOTTO_SPEC_ID_BYTES) != 0) continue;
        uint64_t left_ms = sotto__clock_left_ms(day_ms, unsent.begun_ms, unsent.send_at_ms);
        status = sotto__device_prepare(device, unsent.entry, &report);
        if (status != SOTTO_OK) return status;
        sotto__device_queue(report, left_ms);
        report->rewarded = !unsent.held;
        report->sent = unsent.sealed;
        uint64_t late = late_ms(&unsent, day_ms), *drop_at_ms = &report->parcel.drop_at_ms;
        *drop_at_ms = late < *drop_at_ms ? *drop_at_ms - late : 0;
    }
}

void sotto__device_leave(sotto_device *device)
{
    while (device->oldest != NULL) {
        sotto__parcel_cancel(&device->oldest->parcel);
        forget(device->oldest);
    }
}
