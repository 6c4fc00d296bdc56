/* Spies for the audit of rounds. */
#include "spies.h"

#include <string.h>

static sotto_status spy_fill(sotto_rng *rng, void *out, size_t bytes)
{
    sotto__spy_rng *spy = (sotto__spy_rng *)rng;
    spy->drawn_bytes += bytes;
    return spy->seeded.rng.fill(&spy->seeded.rng, out, bytes);
}

void sotto__spy_rng_begin(sotto__spy_rng *spy, uint64_t seed)
{
    *spy = (sotto__spy_rng){.rng = {spy_fill}};
    sotto__seeded_begin(&spy->seeded, seed);
}

static sotto_status spy_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    sotto__spy_ledger *spy = (sotto__spy_ledger *)ledger;
    spy->debits++;
    if (spy->refuses_debit) return SOTTO_E_BUDGET;
    memcpy(spy->nonce, debit->nonce, sizeof spy->nonce);
    spy->epsilon = debit->epsilon;
    spy->delta = debit->delta;
    *entry = spy->entry = 7000 + spy->debits; /* no number that a round would guess */
    return SOTTO_OK;
}

static sotto_status spy_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                               size_t frame_bytes)
{
    sotto__spy_ledger *spy = (sotto__spy_ledger *)ledger;
    spy->records++;
    spy->recorded_entry = entry;
    if (spy->refuses_record || frame_bytes > sizeof spy->frame) return SOTTO_E_BUDGET;
    memcpy(spy->frame, frame, frame_bytes);
    spy->frame_bytes = frame_bytes;
    return SOTTO_OK;
}

static sotto_status spy_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                               size_t frame_bytes, bool *found)
{
    (void)ledger, (void)spec_id, (void)frame, (void)frame_bytes;
    *found = false;
    return SOTTO_OK;
}

static void spy_free(sotto_ledger *ledger)
{
    (void)ledger; /* the audit's own memory */
}

void sotto__spy_ledger_begin(sotto__spy_ledger *spy)
{
    *spy = (sotto__spy_ledger){
        .ledger = {
            .debit = spy_debit, .record = spy_record, .recall = spy_recall, .free = spy_free}};
}
