#include "client.h"
#include "inner.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ==== ledger ================================================================================= */

/* What every ledger reports, and its queue of unsent reports. */

void sotto_ledger_free(sotto_ledger *ledger)
{
    if (ledger != NULL) ledger->free(ledger);
}

uint64_t sotto_ledger_rounds(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->spent.rounds;
}

uint64_t sotto_ledger_reports(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->reports;
}

uint64_t sotto_ledger_dropped(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->dropped;
}

double sotto_ledger_epsilon(const sotto_ledger *ledger)
{
    return ledger == NULL ? INFINITY : ledger->spent.epsilon;
}

double sotto_ledger_delta(const sotto_ledger *ledger)
{
    return ledger == NULL ? INFINITY : ledger->spent.delta;
}

double sotto_ledger_epsilon_optimal(const sotto_ledger *ledger, double delta_total)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return INFINITY;
    return SOTTO__UNSEEN(sotto__spent_epsilon)(&ledger->spent, delta_total);
}

sotto_status sotto_ledger_fault(const sotto_ledger *ledger, sotto_fault *fault)
{
    if (ledger == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (ledger->refused != SOTTO_OK && fault != NULL) *fault = ledger->fault;
    return ledger->refused;
}

void sotto__ledger_fault(const sotto_ledger *ledger, sotto_status status, sotto_fault *fault)
{
    if (sotto_ledger_fault(ledger, fault) == SOTTO_OK) sotto__fault_status(fault, status);
}

sotto_status sotto_ledger_unsent(sotto_ledger *ledger, uint64_t after, sotto_unsent *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    memset(out, 0, sizeof *out);
    return SOTTO__UNSEEN(*ledger->unsent)(ledger, after, out);
}

sotto_status sotto_ledger_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                               size_t capacity_bytes)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL || frame == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(*ledger->seal)(ledger, entry, frame, capacity_bytes);
}

sotto_status sotto_ledger_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(*ledger->acknowledge)(ledger, entry);
}

sotto_status sotto_ledger_drop(sotto_ledger *ledger, uint64_t entry)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(*ledger->drop)(ledger, entry);
}

/* ==== ledger calls =========================================================================== */

/*
 * A ledger behind calls of the application (sotto_ledger_calls in client.h). The bytes are specified
 * at the head of ledger_log.c.
 *
 * There is no lock. Each use loads the anchor, reads what it counts beyond the log known so far, and
 * checks it to the last bit; each entry goes in by compare and swap on the whole anchor. Whoever
 * comes second is told, reads the first one's entry, and asks the budget again. So the calls decide
 * nothing: they store bytes, and a wrong byte is refused.
 */

typedef struct ledger_calls {
    sotto__logged logged; /* first, so that a pointer to it is a pointer to the whole */
    sotto_ledger_calls calls;
    bool loaded;                               /* an anchor was read once */
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES]; /* of the log */
} ledger_calls;

#define refuse(self, ...) sotto__ledger_refuse(&(self)->logged.base, __VA_ARGS__)

static sotto_status refuse_call(ledger_calls *self, const char *call, sotto_status answer)
{
    return refuse(self, "%s failed: %s", call, sotto_status_text(answer));
}

/* ---- reading ------------------------------------------------------------------------------ */

static sotto_status calls_read(sotto__logged *logged, uint64_t sequence, uint64_t at, size_t offset,
                               uint8_t *bytes, size_t count)
{
    ledger_calls *self = (ledger_calls *)logged;
    (void)at;
    sotto_status answer =
        SOTTO__ASK(self->calls.read(self->calls.state, sequence, offset, bytes, count));
    return answer == SOTTO_OK ? SOTTO_OK : refuse_call(self, "read", answer);
}

/* The largest number of entries that the store has had, if it keeps that. Asked before the anchor
 * is loaded: an anchor loaded later has at least as many, unless the store was rolled back. */
static sotto_status ask_generation(ledger_calls *self, uint64_t *sequence)
{
    *sequence = 0;
    if (self->calls.generation == NULL) return SOTTO_OK;
    sotto_status answer = SOTTO__ASK(self->calls.generation(self->calls.state, sequence));
    return answer == SOTTO_OK ? SOTTO_OK : refuse_call(self, "generation", answer);
}

static sotto_status refuse_rolled_back(ledger_calls *self, uint64_t to, uint64_t after)
{
    self->logged.broken = true;
    return refuse(self, "rolled back to entry %llu after entry %llu", (unsigned long long)to,
                  (unsigned long long)after);
}

/* Reads the entries that an anchor counts beyond the log. */
static sotto_status follow(ledger_calls *self, const uint8_t *seen)
{
    sotto__log *log = &self->logged.log;
    sotto__log_state state;
    uint8_t wanted[SOTTO_LEDGER_ANCHOR_BYTES];
    sotto_fault fault;
    if (sotto__anchor_decode(seen, &state, &fault) != SOTTO_OK) {
        return refuse(self, "anchor: %s", fault.sentence);
    }
    if (!self->loaded) sotto__log_begin(log, state.id);
    if (memcmp(log->state.id, state.id, sizeof state.id) != 0) {
        return refuse(self, "another ledger has replaced it");
    }
    if (self->loaded && state.sequence <= log->state.sequence) {
        return refuse_rolled_back(self, state.sequence, log->state.sequence);
    }
    /* No entry has it, only the anchor. */
    if (log->state.sequence == 0) log->state.spent.composed_at = state.spent.composed_at;
    self->logged.broken = true; /* until all of it is checked */
    sotto__refuse(&self->logged.base.fault, "was not read to its end");
    sotto_status status = sotto__logged_take(&self->logged, log, state.sequence, state.end);
    if (status != SOTTO_OK) return status;
    sotto__anchor_encode(&log->state, wanted);
    if (memcmp(wanted, seen, sizeof wanted) != 0) {
        return refuse(self, "the anchor does not match the entries");
    }
    self->logged.broken = false;
    return SOTTO_OK;
}

static sotto_status calls_enter(sotto__logged *logged)
{
    ledger_calls *self = (ledger_calls *)logged;
    uint8_t seen[SOTTO_LEDGER_ANCHOR_BYTES] = {0};
    bool found = false;
    uint64_t generation;
    sotto_status status = sotto__logged_usable(logged);
    if (status == SOTTO_OK) status = ask_generation(self, &generation);
    if (status != SOTTO_OK) return status;
    sotto_status answer = SOTTO__ASK(self->calls.load(self->calls.state, seen, &found));
    if (answer != SOTTO_OK) return refuse_call(self, "load", answer);
    if (!found) return refuse(self, "there is no ledger");
    if (!self->loaded || memcmp(seen, self->anchor, sizeof seen) != 0) {
        status = follow(self, seen);
        if (status != SOTTO_OK) return status;
        self->loaded = true;
        memcpy(self->anchor, seen, sizeof seen);
        sotto__logged_adopt(logged);
    }
    uint64_t entries = logged->log.state.sequence;
    return generation > entries ? refuse_rolled_back(self, entries, generation) : SOTTO_OK;
}

static void calls_leave(sotto__logged *logged)
{
    (void)logged; /* there is no lock */
}

/* ---- writing ------------------------------------------------------------------------------ */

static sotto_status calls_append(sotto__logged *logged, const sotto__addition *addition)
{
    ledger_calls *self = (ledger_calls *)logged;
    uint8_t after[SOTTO_LEDGER_ANCHOR_BYTES];
    size_t rest_bytes = addition->entry->rest_bytes;
    size_t entry_bytes = SOTTO__ENTRY_HEAD_BYTES + rest_bytes + SOTTO__CHAIN_BYTES;
    uint8_t *entry = malloc(entry_bytes);
    bool stored = false;
    if (entry == NULL) return SOTTO_E_MEMORY;
    memcpy(entry, addition->head, SOTTO__ENTRY_HEAD_BYTES);
    memcpy(entry + SOTTO__ENTRY_HEAD_BYTES, addition->rest, rest_bytes);
    memcpy(entry + SOTTO__ENTRY_HEAD_BYTES + rest_bytes, addition->chain, SOTTO__CHAIN_BYTES);
    sotto__anchor_encode(&addition->after, after);
    sotto_status answer =
        SOTTO__ASK(self->calls.append(self->calls.state, self->anchor, after,
                                      addition->entry->sequence, entry, entry_bytes, &stored));
    free(entry);
    if (answer != SOTTO_OK) {
        logged->broken = true;
        return refuse_call(self, "append", answer);
    }
    if (!stored) return SOTTO_E_EXISTS;
    memcpy(self->anchor, after, sizeof after);
    return SOTTO_OK;
}

/* ---- making and opening ------------------------------------------------------------------- */

static void calls_free(sotto_ledger *ledger)
{
    sotto__logged_end((sotto__logged *)ledger);
    free(ledger);
}

/* Whether this table can be used. In another version only the place of the number is known. */
static sotto_status calls_check(const sotto_ledger_calls *calls, sotto_fault *fault)
{
    if (calls == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (calls->version != SOTTO_LEDGER_CALLS_VERSION) {
        return sotto__fault_at(fault, "version", "%u: this library supports only version %u",
                               calls->version, SOTTO_LEDGER_CALLS_VERSION);
    }
    bool missing = calls->load == NULL || calls->read == NULL || calls->append == NULL;
    return missing ? sotto__fault_status(fault, SOTTO_E_ARGUMENT) : SOTTO_OK;
}

static sotto_status calls_open(const sotto_ledger_calls *calls, sotto_ledger **out,
                               sotto_fault *fault)
{
    sotto_status status = calls_check(calls, fault);
    if (status != SOTTO_OK) return status;
    ledger_calls *self = calloc(1, sizeof *self);
    if (self == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    sotto__logged_begin(&self->logged);
    self->logged.base.free = calls_free;
    self->logged.enter = calls_enter;
    self->logged.leave = calls_leave;
    self->logged.read = calls_read;
    self->logged.append = calls_append;
    self->calls = *calls;
    status = calls_enter(&self->logged);
    if (status == SOTTO_OK) {
        *out = &self->logged.base;
        return SOTTO_OK;
    }
    sotto__ledger_fault(&self->logged.base, status, fault);
    calls_free(&self->logged.base);
    return status;
}

sotto_status sotto_ledger_calls_open(const sotto_ledger_calls *calls, sotto_ledger **out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    return SOTTO__UNSEEN(calls_open)(calls, out, NULL);
}

sotto_status sotto_ledger_calls_fault(const sotto_ledger_calls *calls, sotto_fault *fault)
{
    SOTTO__DEFAULT_FLOATS;
    sotto_ledger *ledger;
    sotto_status status = SOTTO__UNSEEN(calls_open)(calls, &ledger, fault);
    if (status == SOTTO_OK) sotto_ledger_free(ledger);
    return status;
}

/* The generation, and whether there is an anchor; both are asked only if the store keeps a
 * generation. */
static sotto_status ask_once(const sotto_ledger_calls *calls, uint64_t *generation, bool *found)
{
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    *generation = 0;
    *found = false;
    if (calls->generation == NULL) return SOTTO_OK;
    sotto_status status = SOTTO__ASK(calls->generation(calls->state, generation));
    return status == SOTTO_OK ? SOTTO__ASK(calls->load(calls->state, anchor, found)) : status;
}

static sotto_status calls_create(const sotto_ledger_calls *calls)
{
    sotto_status status = calls_check(calls, NULL);
    if (status != SOTTO_OK) return status;
    uint8_t id[SOTTO__LEDGER_ID_BYTES], anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    sotto_rng rng = sotto__system_rng();
    status = rng.fill(&rng, id, sizeof id);
    if (status != SOTTO_OK) return status;
    sotto__log log;
    bool stored = false, found;
    uint64_t generation;
    status = ask_once(calls, &generation, &found);
    if (status != SOTTO_OK || found) return found ? SOTTO_E_EXISTS : SOTTO_E_LEDGER;
    if (generation > 0) return SOTTO_E_LEDGER; /* there was one */
    sotto__log_begin(&log, id);
    sotto__anchor_encode(&log.state, anchor);
    if (calls->append(calls->state, NULL, anchor, 0, NULL, 0, &stored) != SOTTO_OK) {
        return SOTTO_E_LEDGER;
    }
    return stored ? SOTTO_OK : SOTTO_E_EXISTS;
}

sotto_status sotto_ledger_calls_create(const sotto_ledger_calls *calls)
{
    SOTTO__DEFAULT_FLOATS;
    return SOTTO__UNSEEN(calls_create)(calls);
}
