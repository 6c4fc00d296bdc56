/* Reports that have left a device, by nonce. */
#include "sent.h"

void sent_add(sent *self, const uint8_t frame[ROUND_FRAME_BYTES])
{
    uint8_t *index = &self->index[frame[24]];
    if (*index == 0) self->count++;
    if (*index != 0 && *index != frame[40]) self->twice = true;
    *index = frame[40];
}

static sotto_status send(sotto_ledger *ledger, uint64_t entry, sent *out)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto_status status = sotto_ledger_seal(ledger, entry, frame, sizeof frame);
    if (status != SOTTO_OK) return status;
    sent_add(out, frame);
    return sotto_ledger_acknowledge(ledger, entry);
}

sotto_status sent_round(sotto_ledger *ledger, uint8_t nonce, double lifetime, bool finishes,
                        sent *out)
{
    uint64_t entry;
    sotto_status status = round_book(ledger, 0xaa, nonce, 1, lifetime, &entry);
    if (status != SOTTO_OK) return status;
    status = ledger->due(ledger, entry, &(sotto__due){SENT_BEGUN_MS, SENT_AT_MS});
    if (status != SOTTO_OK) return status;
    status = round_hold(ledger, entry, 0xaa, nonce, SENT_HELD);
    if (status != SOTTO_OK) return status;
    if (finishes) status = round_replace(ledger, entry, 0xaa, nonce, SENT_REPLACING);
    return status == SOTTO_OK ? send(ledger, entry, out) : status;
}

sotto_status sent_rest(sotto_ledger *ledger, bool sends_first, sent *out)
{
    sotto_unsent next = {.entry = 0};
    for (;;) {
        sotto_status status = sotto_ledger_unsent(ledger, next.entry, &next);
        if (status != SOTTO_OK || next.entry == 0) return status;
        if (next.begun_ms != SENT_BEGUN_MS || next.send_at_ms != SENT_AT_MS) return SOTTO_E_FAULT;
        uint8_t frame[ROUND_FRAME_BYTES];
        if (sends_first) {
            status = sotto_ledger_seal(ledger, next.entry, frame, sizeof frame);
            if (status != SOTTO_OK) return status;
            sent_add(out, frame);
        }
        status = round_replace(ledger, next.entry, 0xaa, next.nonce[0], SENT_LATE);
        if (status != SOTTO_OK && status != SOTTO_E_LEDGER) return status;
        status = send(ledger, next.entry, out);
        if (status != SOTTO_OK) return status;
    }
}
