/* The API of a device that uses only numbers, strings and handles. */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sotto_part {
    sotto_person *person;
    sotto_wire *wire;
    sotto_site *site;
    sotto_device *device;
    sotto_fault fault; /* of the site, when it was last asked for */
    bool troubled;
    sotto_fault trouble; /* why the last report did not arrive; valid if `troubled` */
};

int32_t sotto__person_answer(sotto_person *person, sotto_status status, bool known)
{
    if (status != SOTTO_OK && !known) sotto__fault_status(&person->fault, status);
    return (int32_t)status;
}

static int32_t not_now(sotto_person *person, const char *sentence)
{
    sotto__refuse(&person->fault, "%s", sentence);
    return SOTTO_E_ORDER;
}

int32_t sotto__person_is_open(sotto_person *person)
{
    return not_now(person, "a ledger is open already");
}

/* ---- a person ----------------------------------------------------------------------------- */

static uint32_t whole(double value)
{
    return value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0; /* 0 is not a valid limit */
}

sotto_person *sotto_person_new(const double *limit)
{
    sotto_person *person = calloc(1, sizeof *person);
    if (person == NULL || limit == NULL) {
        free(person);
        return NULL;
    }
    sotto_policy *policy = &person->policy;
    *policy = sotto_policy_default();
    double *real[SOTTO_FLAT_LIMITS] = {&policy->epsilon_per_report_max, &policy->epsilon_lifetime,
                                       &policy->delta_max,
                                       &policy->delta_lifetime, [6] = &policy->measure_share_max};
    for (uint32_t i = 0; i < SOTTO_FLAT_LIMITS; i++) {
        if (real[i] != NULL && !isnan(limit[i])) *real[i] = limit[i];
    }
    if (!isnan(limit[4])) policy->dim_max = whole(limit[4]);
    if (!isnan(limit[5])) policy->arms_max = whole(limit[5]);
    return person;
}

void sotto_person_free(sotto_person *person)
{
    if (person == NULL) return;
    sotto_ledger_free(person->ledger);
    free(person);
}

int32_t sotto_person_open(sotto_person *person, int32_t creates)
{
    const sotto_ledger_calls calls = sotto__host_ledger();
    if (person->ledger != NULL) return sotto__person_is_open(person);
    if (sotto_policy_fault(&person->policy, &person->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status status = creates ? sotto_ledger_calls_create(&calls) : SOTTO_OK;
    if (status == SOTTO_E_EXISTS) status = SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_ledger_calls_open(&calls, &person->ledger);
    bool known = status != SOTTO_OK && status != SOTTO_E_ENTROPY &&
                 sotto_ledger_calls_fault(&calls, &person->fault) != SOTTO_OK;
    return sotto__person_answer(person, status, known);
}

const char *sotto_person_sentence(const sotto_person *person)
{
    return person->fault.sentence;
}

void sotto_person_spent(const sotto_person *person, double *out)
{
    const sotto_ledger *ledger = person->ledger;
    out[0] = (double)sotto_ledger_rounds(ledger);
    out[1] = (double)sotto_ledger_reports(ledger);
    out[2] = sotto_ledger_epsilon(ledger);
    out[3] = sotto_ledger_delta(ledger);
    out[4] = (double)sotto_ledger_dropped(ledger);
}

const char *sotto_flat_code(int32_t status)
{
#define ROW(name, sentence) #name,
    static const char *const code[] = {SOTTO_STATUS_MAP(ROW)};
    if (status < 0 || (size_t)status >= sizeof code / sizeof code[0]) return "E_UNKNOWN";
    return code[status];
}

const char *sotto_flat_version(void)
{
    return sotto_version();
}

/* ---- a part ------------------------------------------------------------------------------- */

static sotto_status make_part(sotto_part *part, const sotto_site_options *options)
{
    sotto_wire_options wire = sotto_wire_options_default();
    const sotto_requests requests = sotto__host_requests();
    wire.requests = &requests;
    sotto_status status = sotto_wire_new(&wire, &part->wire);
    if (status != SOTTO_OK) return status;
    sotto_wire_sending(part->wire, false);
    return sotto_site_new(part->wire, options, &part->site);
}

sotto_part *sotto_part_new(sotto_person *person, const char *url, const char *relay,
                           const char *report_key, uint32_t refresh_ms)
{
    sotto_site_options options = sotto_site_options_default();
    options.url = url;
    options.relay = relay;
    options.report_key = report_key;
    if (refresh_ms > 0) options.refresh_ms = refresh_ms;
    if (sotto_site_options_fault(&options, &person->fault) != SOTTO_OK) return NULL;
    sotto_part *part = calloc(1, sizeof *part);
    if (part != NULL) part->person = person;
    sotto_status status = part == NULL ? SOTTO_E_MEMORY : make_part(part, &options);
    if (status == SOTTO_OK) return part;
    sotto__person_answer(person, status, false);
    sotto_part_free(part);
    return NULL;
}

void sotto_part_free(sotto_part *part)
{
    if (part == NULL) return;
    sotto_device_free(part->device);
    sotto_site_free(part->site);
    sotto_wire_free(part->wire);
    free(part);
}

int32_t sotto_part_state(const sotto_part *part)
{
    return (int32_t)sotto_site_state_of(part->site);
}

const char *sotto_part_sentence(sotto_part *part)
{
    bool known = sotto_site_fault(part->site, &part->fault) != SOTTO_OK;
    return known ? part->fault.sentence : NULL;
}

/* The length of a context. */
static uint32_t numbers(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->dim * spec->arms : spec->dim;
}

int32_t sotto_part_terms(const sotto_part *part, double *out)
{
    const sotto_terms *terms = sotto_site_terms(part->site);
    if (terms == NULL) return 0;
    const sotto_spec *spec = &terms->spec;
    const double all[SOTTO_FLAT_TERMS] = {spec->dim,           spec->arms,
                                          numbers(spec),       spec->epsilon,
                                          spec->delta,         spec->reward_window_s,
                                          spec->send_spread_s, (double)sotto_report_bytes(terms),
                                          spec->reward_lo,     spec->reward_hi,
                                          spec->reward_default};
    memcpy(out, all, sizeof all);
    return 1;
}

double sotto_part_epoch(const sotto_part *part)
{
    const sotto_model *model = sotto_site_model(part->site);
    return model == NULL ? -1. : model->epoch;
}

/* Listens to the device, and remembers why the last report did not arrive. */
static void remember(void *state, const sotto_device_event *event)
{
    sotto_part *part = state;
    if (event->kind == SOTTO_DEVICE_SENT) return;
    part->troubled = event->kind != SOTTO_DEVICE_ACKNOWLEDGED;
    if (part->troubled) sotto__refuse(&part->trouble, "%s", event->why);
}

/* Large, because the policy already limits how many reports wait, and a shorter queue would drop
 * reports that another process is sending. */
#define QUEUE_MAX 65536u

int32_t sotto_part_enter(sotto_part *part, uint32_t rounds_max)
{
    sotto_person *person = part->person;
    sotto_device_options options = sotto_device_options_default();
    if (part->device != NULL) return not_now(person, "this person takes part already");
    options.policy = person->policy;
    options.ledger = person->ledger;
    options.queue_max = QUEUE_MAX;
    options.event = remember;
    options.state = part;
    if (rounds_max > 0) options.rounds_max = rounds_max;
    if (sotto_device_options_fault(&options, &person->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    const sotto_terms *terms = sotto_site_terms(part->site);
    if (terms == NULL) return not_now(person, "there are no terms yet");
    sotto_status status = sotto_device_new(part->site, &options, &part->device);
    if (status == SOTTO_OK) return SOTTO_OK;
    sotto_status fault = status == SOTTO_E_POLICY
                             ? sotto_policy_refusal(&options.policy, &terms->spec, &person->fault)
                             : sotto_ledger_fault(person->ledger, &person->fault);
    return sotto__person_answer(person, status, fault != SOTTO_OK);
}

int32_t sotto_part_card(sotto_part *part, double *out)
{
    sotto_card card;
    const sotto_terms *terms = sotto_site_terms(part->site);
    if (terms == NULL) return not_now(part->person, "there are no terms yet");
    sotto_status status =
        sotto_card_make(terms, &part->person->policy, part->person->ledger, &card);
    if (status != SOTTO_OK) return sotto__person_answer(part->person, status, false);
    const double all[SOTTO_FLAT_CARD] = {(double)card.report_bytes,
                                         card.reward_window_s,
                                         card.send_spread_s,
                                         card.epsilon,
                                         card.delta,
                                         card.odds_factor,
                                         card.measure_share,
                                         (double)card.rounds_before,
                                         (double)card.dropped_before,
                                         card.epsilon_before,
                                         card.delta_before,
                                         card.epsilon_before_optimal,
                                         card.refused,
                                         card.epsilon_lifetime,
                                         card.delta_lifetime,
                                         card.rounds_left};
    memcpy(out, all, sizeof all);
    return SOTTO_OK;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static int32_t answer(sotto_part *part, sotto_status status)
{
    bool known =
        status != SOTTO_OK && sotto_device_fault(part->device, &part->person->fault) != SOTTO_OK;
    return sotto__person_answer(part->person, status, known);
}

static int32_t not_in(sotto_part *part)
{
    return not_now(part->person, "this person does not take part yet");
}

/* Checked before a round is booked, so that a context of the wrong length costs nothing. */
static int32_t check_context(sotto_part *part, const double *context, uint32_t count)
{
    sotto_fault *fault = &part->person->fault;
    const sotto_spec *spec = &sotto_site_terms(part->site)->spec;
    if (count != numbers(spec)) {
        sotto__refuse(fault, "context has %u numbers: allowed %u", count, numbers(spec));
        return SOTTO_E_LENGTH;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(context[i])) continue;
        return (int32_t)sotto__refuse(fault, "context[%u] is not a finite number", i);
    }
    return SOTTO_OK;
}

int32_t sotto_part_decide(sotto_part *part, double *context, uint32_t context_count, double *round,
                          uint32_t *arm)
{
    uint64_t number = 0;
    sotto_status status = SOTTO_OK;
    int32_t refused =
        part->device == NULL ? not_in(part) : check_context(part, context, context_count);
    if (refused == SOTTO_OK) {
        status = sotto_device_begin(part->device, &number);
        if (status == SOTTO_OK)
            status = sotto_device_decide(part->device, number, context, context_count, arm);
        refused = answer(part, status);
    }
    memset(context, 0, context_count * sizeof *context);
    *round = (double)number;
    return refused;
}

int32_t sotto_part_reward(sotto_part *part, double round, double reward)
{
    if (part->device == NULL) return not_in(part);
    if (!isfinite(reward))
        return (int32_t)sotto__refuse(&part->person->fault, "reward is not a finite number");
    uint64_t number = round >= 1 && round < 0x1p64 ? (uint64_t)round : 0;
    return answer(part, sotto_device_finish(part->device, number, reward));
}

/* ---- reports ------------------------------------------------------------------------------ */

int32_t sotto_part_adopt(sotto_part *part)
{
    return part->device == NULL ? SOTTO_OK : answer(part, sotto_device_adopt(part->device));
}

int32_t sotto_part_send(sotto_part *part, int32_t on)
{
    int32_t status = on ? sotto_part_adopt(part) : SOTTO_OK;
    if (status == SOTTO_OK) sotto_wire_sending(part->wire, on != 0);
    return status;
}

int32_t sotto_part_turn(sotto_part *part)
{
    return sotto__person_answer(part->person, sotto_wire_turn(part->wire, 0), false);
}

double sotto_part_due_ms(const sotto_part *part)
{
    return sotto_wire_due_ms(part->wire);
}

uint32_t sotto_part_waiting(const sotto_part *part)
{
    return (uint32_t)sotto_device_waiting(part->device);
}

const char *sotto_part_trouble(const sotto_part *part)
{
    return part->troubled ? part->trouble.sentence : NULL;
}

void sotto_part_counts(const sotto_part *part, double *out)
{
    const sotto_device_counts counts = sotto_device_counts_of(part->device);
    const double all[SOTTO_FLAT_COUNTS] = {(double)counts.begun,        (double)counts.finished,
                                           (double)counts.sent,         (double)counts.sent_default,
                                           (double)counts.acknowledged, (double)counts.dropped,
                                           (double)counts.put_off,      (double)counts.served};
    memcpy(out, all, sizeof all);
}

void sotto_flat_answer(void *request, int32_t status, const uint8_t *body, uint32_t body_bytes,
                       double retry_after_s, const char *why)
{
    const sotto_answer given = {
        .status = status,
        .body = body,
        .body_bytes = body_bytes,
        .retry_after_ms = retry_after_s > 0 ? (uint64_t)fmin(1000 * retry_after_s, 0x1p53) : 0,
        .why = status != 0   ? NULL
               : why != NULL ? why
                             : "there was no answer"};
    sotto_request_answer(request, &given);
}
