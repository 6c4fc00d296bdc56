#include "core/core.h"
#include "inner.h"

#include <stdlib.h>
#include <string.h>

/* ==== places ================================================================================= */

/* The places of a device's rounds, by the ledger's number. */

sotto_status sotto__device_refuse(sotto_device *device, sotto_status status)
{
    device->refused = status;
    if (sotto_ledger_fault(device->options.ledger, &device->fault) == SOTTO_OK)
        return sotto__fault_status(&device->fault, status);
    sotto__fault_within(&device->fault, "%s: ", sotto_status_text(status));
    return status;
}

sotto__device_round *sotto__device_find(const sotto_device *device, uint64_t entry)
{
    for (uint32_t i = 0; entry != 0 && i < device->options.rounds_max; i++) {
        if (device->round[i].entry == entry) return &device->round[i];
    }
    return NULL;
}

void sotto__device_forget(sotto__device_round *round)
{
    round->entry = 0;
    round->decided = round->served = false;
    round->finished = false;
    round->report = NULL;
}

/* ==== queue ================================================================================== */

/* The waiting reports of a device: a list without their bytes, which are in the ledger. */

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
    sotto__floats_again();
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
        sotto_round_free(open->round); /* which also wipes its secret */
        open->round = NULL;
        sotto__device_forget(open);
    }
    take_out(report);
}

/* True if the ledger still has the report to send, or does not answer. */
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
    uint64_t set_ms = report->parcel.alarm.at_ms; /* a report dropped by make_room() may not be
                                                   * due yet */
    report->device->counts.put_off++;
    tell(report, SOTTO_DEVICE_PUT_OFF, report->device->fault.sentence);
    report->parcel.frame = NULL;
    sotto__parcel_send(&report->parcel, set_ms > at_ms ? set_ms : at_ms);
}

/* Puts a report off, and returns true, if the ledger recently did not answer. Each call on a locked
 * ledger blocks for a while, so after one failure the other reports wait without another call. */
static bool rests(sotto__device_report *report)
{
    sotto_device *device = report->device;
    if (sotto__wire_now_ms(device->site->wire) >= device->ledger_after_ms) return false;
    sotto__device_refuse(device, SOTTO_E_LEDGER);
    wait_until(report, device->ledger_after_ms);
    return true;
}

/* After a call on the ledger failed: forgets the report if another process has sent it or given it
 * up; otherwise tries again later. */
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

/* Writes the bytes that leave. If the round was not finished, they are the report of the default
 * reward. */
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
    if (rests(report)) return; /* sent again, harmlessly: see below */
    sotto_status status = sotto_ledger_acknowledge(device->options.ledger, report->entry);
    if (status != SOTTO_OK) {
        try_later(report, status); /* sending the same bytes again is harmless */
        return;
    }
    device->counts.acknowledged++;
    device->refused = SOTTO_OK;
    tell(report, SOTTO_DEVICE_ACKNOWLEDGED, NULL);
    forget(report);
}

static void refuse(sotto_device *device, const char *why)
{
    device->refused = sotto__refuse(&device->fault, "%s", why);
}

static void put_off(sotto__parcel *parcel, const char *why)
{
    sotto__device_report *report = (sotto__device_report *)parcel;
    sotto_device *device = report->device;
    refuse(device, why);
    device->counts.put_off++;
    tell(report, SOTTO_DEVICE_PUT_OFF, device->fault.sentence);
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
    refuse(device, why);
    device->counts.dropped++;
    tell(report, SOTTO_DEVICE_DROPPED, device->fault.sentence);
    forget(report);
}

static const sotto__sender sender = {
    .seal = seal, .acknowledged = acknowledged, .put_off = put_off, .drop = drop};

/* ---- the queue ---------------------------------------------------------------------------- */

/* If too many reports wait, drops the oldest that is not under way, but never the newest. */
static void make_room(sotto_device *device)
{
    sotto__device_report *report = device->oldest;
    while (report != NULL && report->parcel.post != NULL) {
        report = report->next;
    }
    if (device->waiting <= device->options.queue_max || report == device->newest || report == NULL)
        return;
    sotto__parcel_cancel(&report->parcel);
    drop(&report->parcel, "report: dropped as the oldest, because too many wait to be sent");
}

/* Inserts a report by number, which is the order of age. */
static void put_in(sotto__device_report *report)
{
    sotto_device *device = report->device;
    sotto__device_report *before = device->newest;
    while (before != NULL && before->entry > report->entry) {
        before = before->previous;
    }
    sotto__device_report *after = before == NULL ? device->oldest : before->next;
    report->previous = before;
    report->next = after;
    *(before == NULL ? &device->oldest : &before->next) = report;
    *(after == NULL ? &device->newest : &after->previous) = report;
    device->waiting++;
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
    put_in(report);
    *out = report;
    return SOTTO_OK;
}

void sotto__device_unprepare(sotto__device_report *report)
{
    if (report != NULL) take_out(report);
}

void sotto__device_queue(sotto__device_report *report, uint64_t wait_ms, uint64_t late_ms)
{
    sotto_device *device = report->device;
    uint64_t at_ms = sotto__wire_now_ms(device->site->wire) + wait_ms;
    uint64_t drop_at_ms = at_ms + (uint64_t)device->options.age_max_s * 1000;
    report->parcel.drop_at_ms = late_ms < drop_at_ms ? drop_at_ms - late_ms : 0;
    sotto__parcel_send(&report->parcel, at_ms);
    make_room(device);
}

/* How long ago the report was due, by the time of day. */
static uint64_t late_ms(const sotto_unsent *unsent, uint64_t day_ms)
{
    bool is_late = unsent->send_at_ms != 0 && day_ms > unsent->send_at_ms;
    return is_late ? day_ms - unsent->send_at_ms : 0;
}

/* How long the report must still wait, by the time of day. A round that began after this device
 * last adopted also waits by the steady clock, because the time of day may have been set since it
 * began. */
static uint64_t left_ms(const sotto_device *device, const sotto_unsent *unsent, uint64_t day_ms)
{
    uint64_t left_ms = sotto__clock_left_ms(day_ms, unsent->begun_ms, unsent->send_at_ms);
    uint64_t wait_ms = unsent->send_at_ms - unsent->begun_ms;
    uint64_t passed_ms = sotto__wire_now_ms(device->site->wire) - device->adopted_ms;
    bool is_new = device->adopted_ms != 0 && unsent->entry > device->adopted_entry;
    return is_new && passed_ms < wait_ms && wait_ms - passed_ms > left_ms ? wait_ms - passed_ms
                                                                          : left_ms;
}

static sotto_status take_over(sotto_device *device, const sotto_unsent *unsent, uint64_t day_ms)
{
    sotto__device_report *report = NULL;
    sotto_status status = sotto__device_prepare(device, unsent->entry, &report);
    if (status != SOTTO_OK) return status;
    report->rewarded = !unsent->held;
    report->sent = unsent->sealed;
    sotto__device_queue(report, left_ms(device, unsent, day_ms), late_ms(unsent, day_ms));
    return SOTTO_OK;
}

/* From `report` on, forgets the reports with numbers below `entry`, which the ledger no longer has,
 * except those under way, whose requests end by themselves. Returns the first report with that
 * number or a higher one. */
static sotto__device_report *forget_until(sotto__device_report *report, uint64_t entry)
{
    while (report != NULL && report->entry < entry) {
        sotto__device_report *next = report->next;
        if (report->parcel.post == NULL) {
            sotto__parcel_cancel(&report->parcel);
            forget(report);
        }
        report = next;
    }
    return report;
}

sotto_status sotto__device_adopt(sotto_device *device)
{
    const sotto__clock *clock = &device->site->wire->clock;
    uint64_t day_ms = clock->day_ms(clock->state);
    sotto__device_report *at = device->oldest;
    uint64_t seen = 0;
    sotto_unsent unsent = {.entry = 0};
    for (;;) {
        sotto_status status = sotto_ledger_unsent(device->options.ledger, unsent.entry, &unsent);
        if (status != SOTTO_OK) return status;
        at = forget_until(at, unsent.entry == 0 ? UINT64_MAX : unsent.entry);
        if (unsent.entry == 0) break;
        seen = unsent.entry;
        if (memcmp(unsent.spec_id, device->site->terms.id, SOTTO_SPEC_ID_BYTES) != 0) continue;
        if (at != NULL && at->entry == unsent.entry) {
            at->rewarded = !unsent.held;
            at = at->next;
            continue;
        }
        status = take_over(device, &unsent, day_ms);
        if (status != SOTTO_OK) return status;
    }
    device->adopted_entry = seen;
    device->adopted_ms = sotto__wire_now_ms(device->site->wire);
    return SOTTO_OK;
}

void sotto__device_leave(sotto_device *device)
{
    while (device->oldest != NULL) {
        sotto__parcel_cancel(&device->oldest->parcel);
        forget(device->oldest);
    }
}
