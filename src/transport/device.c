/* A person's rounds at one site. Reports are held: one report per round leaves, when it is due. */
#include "core/core.h"
#include "inner.h"

#include <stdlib.h>

/* ---- taking part -------------------------------------------------------------------------- */

static sotto_status make(sotto_device *device)
{
    device->round = calloc(device->options.rounds_max, sizeof device->round[0]);
    device->frame = malloc(device->site->frame_bytes);
    if (device->round == NULL || device->frame == NULL) return SOTTO_E_MEMORY;
    sotto_status status =
        sotto_client_new(&device->options.policy, device->options.ledger, &device->client);
    if (status != SOTTO_OK) return status;
    /* Making the first handle checks whether policy and ledger admit the terms. */
    status = sotto_round_new(device->client, &device->site->terms, &device->round[0].round);
    return status == SOTTO_OK ? sotto__device_adopt(device) : status;
}

sotto_status sotto_device_new(sotto_site *site, const sotto_device_options *options,
                              sotto_device **out)
{
    SOTTO__DEFAULT_FLOATS; /* callbacks for events and the ledger may run */
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (site == NULL || options == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_device_options_fault(options, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    if (!site->has_terms) return SOTTO_E_ORDER;
    sotto_device *device = calloc(1, sizeof *device);
    if (device == NULL) return SOTTO_E_MEMORY;
    device->site = site;
    device->options = *options;
    sotto_status status = make(device);
    if (status != SOTTO_OK) {
        sotto_device_free(device);
        return status;
    }
    *out = device;
    return SOTTO_OK;
}

void sotto_device_free(sotto_device *device)
{
    if (device == NULL) return;
    sotto__device_leave(device);
    for (uint32_t i = 0; device->round != NULL && i < device->options.rounds_max; i++) {
        sotto_round_free(device->round[i].round);
    }
    free(device->round);
    free(device->frame);
    sotto_client_free(device->client);
    free(device);
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* A place that is free, or whose round is due and so waits for no reward any more. If that round
 * was decided, its report is in the ledger and leaves from there. The choice must not depend on
 * which rewards came: otherwise the number of reports would reveal them. */
static sotto__device_round *find_free(const sotto_device *device)
{
    uint64_t now_ms = sotto__wire_now_ms(device->site->wire);
    for (uint32_t i = 0; i < device->options.rounds_max; i++) {
        sotto__device_round *round = &device->round[i];
        if (round->entry == 0 || round->due_ms <= now_ms) return round;
    }
    return NULL;
}

static sotto_status refuse(sotto_device *device, const char *why)
{
    sotto__refuse(&device->fault, "%s", why);
    return device->refused = SOTTO_E_ORDER;
}

/* Numbers for rounds without an entry in the ledger, too high for the ledger's own numbers. */
#define SERVED_FROM (UINT64_C(1) << 63)

/* A served round keeps its place as long as any other round: deciding or finishing it does not free
 * the place. */
static uint64_t begin_served(sotto_device *device, sotto__device_round *open)
{
    const sotto_spec *spec = &device->site->terms.spec;
    uint64_t wait_s = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    open->served = true;
    open->entry = SERVED_FROM + device->counts.served++;
    open->due_ms = sotto__wire_now_ms(device->site->wire) + 1000 * wait_s;
    device->counts.begun++;
    return open->entry;
}

static sotto_status begin(sotto_device *device, sotto__device_round *free_one, uint64_t *round)
{
    sotto_site *site = device->site;
    sotto_status status = SOTTO_OK;
    uint64_t send_at_ms, day_ms = site->wire->clock.day_ms(site->wire->clock.state);
    sotto__device_forget(free_one);
    if (free_one->round == NULL)
        status = sotto_round_new(device->client, &site->terms, &free_one->round);
    if (status == SOTTO_OK) status = sotto_round_begin(free_one->round, site->model);
    if (status == SOTTO_OK && !sotto_round_reports(free_one->round)) {
        *round = begin_served(device, free_one);
        return SOTTO_OK;
    }
    if (status == SOTTO_OK) status = sotto_round_hold_at(free_one->round, day_ms, &send_at_ms);
    if (status != SOTTO_OK) return sotto__device_refuse(device, status);
    free_one->entry = sotto_round_entry(free_one->round);
    free_one->due_ms = sotto__wire_now_ms(site->wire) + (send_at_ms - day_ms);
    device->counts.begun++;
    *round = free_one->entry;
    return SOTTO_OK;
}

sotto_status sotto_device_begin(sotto_device *device, uint64_t *round)
{
    SOTTO__DEFAULT_FLOATS;
    if (device == NULL || round == NULL) return SOTTO_E_ARGUMENT;
    const sotto_site *site = device->site;
    device->refused = SOTTO_OK;
    if (site->state == SOTTO_SITE_GONE) return refuse(device, site->fault.sentence);
    if (!site->has_model)
        return refuse(device,
                      site->refused != SOTTO_OK ? site->fault.sentence : "there is no model yet");
    if (site->paused && (site->first != NULL || site->under_way > 0))
        return refuse(device, "the experiment is paused: reports wait, and no round can begin");
    sotto__device_round *free_one = find_free(device);
    if (free_one == NULL) {
        sotto__refuse(&device->fault,
                      "%u rounds wait for their send time, the maximum (rounds_max)",
                      device->options.rounds_max);
        return device->refused = SOTTO_E_ORDER;
    }
    return SOTTO__UNSEEN(begin)(device, free_one, round);
}

static sotto_status decide_served(sotto__device_round *open, const double *context,
                                  uint32_t context_count, uint32_t *arm)
{
    sotto_status status = sotto_round_decide(open->round, context, context_count, arm);
    open->decided = status == SOTTO_OK;
    return status;
}

static sotto_status decide(sotto_device *device, sotto__device_round *open, const double *context,
                           uint32_t context_count, uint32_t *arm)
{
    uint32_t chosen;
    uint64_t now_ms = sotto__wire_now_ms(device->site->wire);
    sotto__device_report *report = NULL;
    sotto_status status = sotto__device_prepare(device, open->entry, &report);
    if (status == SOTTO_OK)
        status = sotto_round_decide(open->round, context, context_count, &chosen);
    if (status != SOTTO_OK) sotto__device_unprepare(report);
    if (status == SOTTO_E_LENGTH) return status; /* the round can still be decided */
    if (status != SOTTO_OK) {
        sotto__device_forget(open);
        return sotto__device_refuse(device, status);
    }
    /* The report is now in the ledger, and will leave. */
    open->decided = true;
    open->report = report;
    sotto__device_queue(report, open->due_ms > now_ms ? open->due_ms - now_ms : 0, 0);
    *arm = chosen;
    return SOTTO_OK;
}

sotto_status sotto_device_decide(sotto_device *device, uint64_t round, const double *context,
                                 uint32_t context_count, uint32_t *arm)
{
    SOTTO__DEFAULT_FLOATS;
    if (device == NULL || context == NULL || arm == NULL) return SOTTO_E_ARGUMENT;
    sotto__device_round *open = sotto__device_find(device, round);
    device->refused = SOTTO_OK;
    if (open == NULL || open->decided) return refuse(device, "there is no such round to decide");
    if (open->served) return decide_served(open, context, context_count, arm);
    return SOTTO__UNSEEN(decide)(device, open, context, context_count, arm);
}

#define TOO_LATE                                                                                   \
    "there is no such round to finish, or its report has left: the reward came too late"

/* True if another process is sending the report or has sent it. */
static bool has_left(const sotto_device *device, const sotto__device_round *open)
{
    sotto_unsent unsent;
    return sotto_ledger_unsent(device->options.ledger, open->entry - 1, &unsent) == SOTTO_OK &&
           (unsent.entry != open->entry || unsent.sealed);
}

static sotto_status finish(sotto_device *device, sotto__device_round *open, double reward)
{
    sotto_status status =
        sotto_round_finish(open->round, reward, device->frame, device->site->frame_bytes);
    if (status == SOTTO_OK) open->report->rewarded = true;
    open->finished = true; /* also after a failure: the report of the default reward then leaves */
    if (status != SOTTO_OK && has_left(device, open)) return refuse(device, TOO_LATE);
    if (status != SOTTO_OK) return sotto__device_refuse(device, status);
    device->counts.finished++;
    return SOTTO_OK;
}

sotto_status sotto_device_finish(sotto_device *device, uint64_t round, double reward)
{
    SOTTO__DEFAULT_FLOATS;
    if (device == NULL) return SOTTO_E_ARGUMENT;
    sotto__device_round *open = sotto__device_find(device, round);
    device->refused = SOTTO_OK;
    if (open == NULL || !open->decided || open->finished) return refuse(device, TOO_LATE);
    if (open->served) { /* the reward is ignored */
        open->finished = true;
        device->counts.finished++;
        return SOTTO_OK;
    }
    return SOTTO__UNSEEN(finish)(device, open, reward);
}

/* ---- reports of others -------------------------------------------------------------------- */

sotto_status sotto_device_adopt(sotto_device *device)
{
    SOTTO__DEFAULT_FLOATS;
    if (device == NULL) return SOTTO_E_ARGUMENT;
    device->refused = SOTTO_OK;
    sotto_status status = SOTTO__UNSEEN(sotto__device_adopt)(device);
    return status == SOTTO_OK ? status : sotto__device_refuse(device, status);
}

/* ---- what it can tell --------------------------------------------------------------------- */

size_t sotto_device_waiting(const sotto_device *device)
{
    return device == NULL ? 0 : device->waiting;
}

sotto_device_counts sotto_device_counts_of(const sotto_device *device)
{
    return device == NULL ? (sotto_device_counts){0} : device->counts;
}

sotto_status sotto_device_fault(const sotto_device *device, sotto_fault *fault)
{
    if (device == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (device->refused != SOTTO_OK && fault != NULL) *fault = device->fault;
    return device->refused;
}
