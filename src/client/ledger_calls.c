/*
 * A ledger behind calls of the application (sotto_ledger_calls in client.h). The bytes are specified
 * at the head of ledger_log.c.
 *
 * There is no lock. Each use loads the anchor, reads what it counts beyond the log known so far, and
 * checks it to the last bit; each entry goes in by compare and swap on the whole anchor. Whoever
 * comes second is told, reads the first one's entry, and asks the budget again. So the calls decide
 * nothing: they store bytes, and a wrong byte is refused.
 */
#include "entropy.h"
#include "ledger_logged.h"

#include <stdlib.h>
#include <string.h>

typedef struct ledger_calls {
    sotto__logged logged; /* first, so that a pointer to it is a pointer to the whole */
    sotto_ledger_calls calls;
    bool loaded;                               /* an anchor was read once */
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES]; /* of the log */
} ledger_calls;

#define refuse(self, ...) sotto__refuse(&(self)->logged.base, __VA_ARGS__)

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
    sotto_status answer = self->calls.read(self->calls.state, sequence, offset, bytes, count);
    return answer == SOTTO_OK ? SOTTO_OK : refuse_call(self, "read", answer);
}

/* Takes in what an anchor counts beyond the log. */
static sotto_status follow(ledger_calls *self, const uint8_t *seen)
{
    sotto__log *log = &self->logged.log;
    sotto__log_state state;
    uint8_t wanted[SOTTO_LEDGER_ANCHOR_BYTES];
    const char *fault = sotto__anchor_decode(seen, &state);
    if (fault != NULL) return refuse(self, "anchor: %s", fault);
    if (!self->loaded) sotto__log_begin(log, state.id);
    if (memcmp(log->state.id, state.id, sizeof state.id) != 0) {
        return refuse(self, "another ledger was stored in its place");
    }
    if (self->loaded && state.sequence <= log->state.sequence) {
        self->logged.broken = true;
        return refuse(self, "rolled back to entry %llu after entry %llu",
                      (unsigned long long)state.sequence, (unsigned long long)log->state.sequence);
    }
    /* No entry says it: the anchor must. */
    if (log->state.sequence == 0) log->state.spent.composed_at = state.spent.composed_at;
    self->logged.broken = true; /* until all of it fits */
    sotto__fault(self->logged.base.text, "was not read to its end");
    sotto_status status = sotto__logged_take(&self->logged, log, state.sequence, state.end);
    if (status != SOTTO_OK) return status;
    sotto__anchor_encode(&log->state, wanted);
    if (memcmp(wanted, seen, sizeof wanted) != 0) {
        return refuse(self, "the anchor does not fit the entries");
    }
    self->logged.broken = false;
    return SOTTO_OK;
}

static sotto_status calls_enter(sotto__logged *logged)
{
    ledger_calls *self = (ledger_calls *)logged;
    uint8_t seen[SOTTO_LEDGER_ANCHOR_BYTES] = {0};
    bool found = false;
    sotto_status status = sotto__logged_usable(logged);
    if (status != SOTTO_OK) return status;
    sotto_status answer = self->calls.load(self->calls.state, seen, &found);
    if (answer != SOTTO_OK) return refuse_call(self, "load", answer);
    if (!found) return refuse(self, "there is no ledger");
    if (self->loaded && memcmp(seen, self->anchor, sizeof seen) == 0) return SOTTO_OK;
    status = follow(self, seen);
    if (status != SOTTO_OK) return status;
    self->loaded = true;
    memcpy(self->anchor, seen, sizeof seen);
    sotto__logged_adopt(logged);
    return SOTTO_OK;
}

static void calls_leave(sotto__logged *logged)
{
    (void)logged; /* nobody was kept out */
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
        self->calls.append(self->calls.state, self->anchor, after, addition->entry->sequence, entry,
                           entry_bytes, &stored);
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

/* Whether this table can be used; of another version nothing but the number is known. */
static sotto_status calls_check(const sotto_ledger_calls *calls)
{
    if (calls == NULL) return SOTTO_E_ARGUMENT;
    if (calls->version != SOTTO_LEDGER_CALLS_VERSION) return SOTTO_E_FAULT;
    bool missing = calls->load == NULL || calls->read == NULL || calls->append == NULL;
    return missing ? SOTTO_E_ARGUMENT : SOTTO_OK;
}

/* Opens, or writes into `text` why it is refused. */
static sotto_status calls_open(const sotto_ledger_calls *calls, char text[SOTTO_FAULT_BYTES],
                               sotto_ledger **out)
{
    sotto__fault(text, "out of memory");
    ledger_calls *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    sotto__logged_begin(&self->logged);
    self->logged.base.free = calls_free;
    self->logged.enter = calls_enter;
    self->logged.leave = calls_leave;
    self->logged.read = calls_read;
    self->logged.append = calls_append;
    self->calls = *calls;
    sotto_status status = calls_enter(&self->logged);
    if (status == SOTTO_OK) {
        *out = &self->logged.base;
        return SOTTO_OK;
    }
    if (self->logged.base.fault != NULL) memcpy(text, self->logged.base.text, SOTTO_FAULT_BYTES);
    calls_free(&self->logged.base);
    return status;
}

sotto_status sotto_ledger_calls_open(const sotto_ledger_calls *calls, sotto_ledger **out)
{
    SOTTO__DEFAULT_FLOATS;
    char text[SOTTO_FAULT_BYTES];
    if (out != NULL) *out = NULL;
    if (out == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = calls_check(calls);
    if (status != SOTTO_OK) return status;
    return SOTTO__UNSEEN(calls_open)(calls, text, out);
}

const char *sotto_ledger_calls_fault(const sotto_ledger_calls *calls, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    sotto_ledger *ledger;
    sotto_status status = text == NULL ? SOTTO_E_ARGUMENT : calls_check(calls);
    if (status == SOTTO_E_ARGUMENT) return sotto_status_text(status);
    if (status == SOTTO_E_FAULT) {
        return sotto__fault(text, "version = %u; allowed %u", calls->version,
                            SOTTO_LEDGER_CALLS_VERSION);
    }
    if (SOTTO__UNSEEN(calls_open)(calls, text, &ledger) != SOTTO_OK) return text;
    sotto_ledger_free(ledger);
    return NULL;
}

sotto_status sotto_ledger_calls_create(const sotto_ledger_calls *calls)
{
    sotto_status status = calls_check(calls);
    if (status != SOTTO_OK) return status;
    uint8_t id[SOTTO__LEDGER_ID_BYTES], anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    sotto_rng rng = sotto__system_rng();
    status = rng.fill(&rng, id, sizeof id);
    if (status != SOTTO_OK) return status;
    sotto__log log;
    bool stored = false;
    sotto__log_begin(&log, id);
    sotto__anchor_encode(&log.state, anchor);
    if (calls->append(calls->state, NULL, anchor, 0, NULL, 0, &stored) != SOTTO_OK) {
        return SOTTO_E_LEDGER;
    }
    return stored ? SOTTO_OK : SOTTO_E_EXISTS;
}
