/* A ledger's store behind sotto_ledger_calls. */
#include "store.h"
#include "test.h"

#include <string.h>

static bool fails(store *self)
{
    self->calls++;
    if (self->beside != NULL) self->beside();
    if (self->fail_at == 0) return false;
    bool dead = self->failure == STORE_DIES || self->failure == STORE_DONE_DIES;
    return self->calls == self->fail_at || (dead && self->calls > self->fail_at);
}

static sotto_status load(void *state, uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES], bool *found)
{
    store *self = state;
    if (fails(self)) return SOTTO_E_MEMORY;
    *found = self->there;
    if (self->there) memcpy(anchor, self->anchor, SOTTO_LEDGER_ANCHOR_BYTES);
    return SOTTO_OK;
}

static sotto_status read(void *state, uint64_t sequence, size_t offset, uint8_t *bytes,
                         size_t count)
{
    store *self = state;
    if (fails(self)) return SOTTO_E_MEMORY;
    if (sequence == 0 || sequence > self->count) return SOTTO_E_INDEX;
    size_t there = self->entry_bytes[sequence - 1];
    if (offset > there || count > there - offset) return SOTTO_E_LENGTH;
    memcpy(bytes, self->entry[sequence - 1] + offset, count);
    self->read_bytes += count;
    size_t lie = there - 17; /* the last byte before the chain */
    if (self->lies_about == sequence && offset <= lie && lie < offset + count)
        bytes[lie - offset] ^= 1;
    return SOTTO_OK;
}

static bool fits(const store *self, const uint8_t *before)
{
    if (self->swaps_blindly) return true;
    if (before == NULL) return !self->there;
    return self->there && memcmp(before, self->anchor, SOTTO_LEDGER_ANCHOR_BYTES) == 0;
}

static sotto_status append(void *state, const uint8_t *before,
                           const uint8_t after[SOTTO_LEDGER_ANCHOR_BYTES], uint64_t sequence,
                           const uint8_t *entry, size_t entry_bytes, bool *stored)
{
    store *self = state;
    bool failed = fails(self);
    bool done = self->failure == STORE_DONE_FAILS || self->failure == STORE_DONE_DIES;
    if (failed && !(done && self->calls == self->fail_at)) return SOTTO_E_MEMORY;
    if (self->before_append != NULL) self->before_append(self);
    *stored = fits(self, before);
    if (!*stored) return failed ? SOTTO_E_MEMORY : SOTTO_OK;
    memcpy(self->anchor, after, SOTTO_LEDGER_ANCHOR_BYTES);
    self->there = true;
    if (sequence > 0) {
        assert_true(sequence <= STORE_ENTRIES_MAX && entry_bytes <= STORE_ENTRY_BYTES_MAX);
        memcpy(self->entry[sequence - 1], entry, entry_bytes);
        self->entry_bytes[sequence - 1] = entry_bytes;
        self->count = sequence;
        if (sequence > self->generation) self->generation = sequence;
    }
    return failed ? SOTTO_E_MEMORY : SOTTO_OK;
}

static sotto_status generation(void *state, uint64_t *sequence)
{
    store *self = state;
    if (fails(self)) return SOTTO_E_MEMORY;
    *sequence = self->generation;
    return SOTTO_OK;
}

void store_put_back(store *self, const store *older)
{
    uint64_t kept = self->generation;
    *self = *older;
    self->generation = kept;
}

sotto_ledger_calls store_calls(store *self)
{
    return (sotto_ledger_calls){SOTTO_LEDGER_CALLS_VERSION,      self, load, read, append,
                                self->counts ? generation : NULL};
}
