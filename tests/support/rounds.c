/* Rounds on a ledger without the rest of a client. */
#include "rounds.h"

#include <string.h>

void round_frame(uint8_t spec, uint8_t nonce, uint8_t frame[ROUND_FRAME_BYTES])
{
    memset(frame, 0, ROUND_FRAME_BYTES);
    memcpy(frame, "STR1", 4);
    memset(frame + 4, spec, SOTTO_SPEC_ID_BYTES);
    frame[20] = 7; /* epoch */
    memset(frame + 24, nonce, SOTTO_NONCE_BYTES);
    frame[40] = 5; /* index */
}

sotto_status round_book(sotto_ledger *ledger, uint8_t spec, uint8_t nonce, double epsilon,
                        double lifetime, uint64_t *entry)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = lifetime;
    round_frame(spec, nonce, frame);
    sotto__debit debit = {frame + 4, frame + 24, epsilon, 0, &policy};
    return ledger->debit(ledger, &debit, entry);
}

void round_frame_of(uint8_t spec, uint8_t nonce, uint8_t index, uint8_t frame[ROUND_FRAME_BYTES])
{
    round_frame(spec, nonce, frame);
    frame[40] = index;
}

sotto_status round_hold(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce,
                        uint8_t index)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    round_frame_of(spec, nonce, index, frame);
    return ledger->hold(ledger, entry, frame, sizeof frame);
}

sotto_status round_replace(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce,
                           uint8_t index)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    round_frame_of(spec, nonce, index, frame);
    return ledger->replace(ledger, entry, frame, sizeof frame);
}

sotto_status round_keep(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    round_frame(spec, nonce, frame);
    return ledger->record(ledger, entry, frame, sizeof frame);
}

sotto_status round_recall(sotto_ledger *ledger, uint8_t spec, uint8_t frame[ROUND_FRAME_BYTES],
                          bool *found)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    memset(id, spec, sizeof id);
    return ledger->recall(ledger, id, frame, ROUND_FRAME_BYTES, found);
}
