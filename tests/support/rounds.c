/* Rounds in a ledger, without the rest of a client. */
#include "rounds.h"
#include "test.h"
#include "why.h"

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

uint64_t round_booked(sotto_ledger *ledger, uint8_t nonce)
{
    uint64_t entry;
    assert_ok(round_book(ledger, 0xaa, nonce, 1, 8, &entry));
    return entry;
}

void assert_stopped(sotto_ledger *ledger, const char *says)
{
    uint64_t entry;
    assert_status(round_book(ledger, 0xaa, 9, 1, 8, &entry), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, ledger), says);
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

void rounds_held(sotto_ledger *ledger)
{
    uint64_t first, second, third;
    uint8_t frame[ROUND_FRAME_BYTES];
    assert_ok(round_book(ledger, 0xaa, 1, 1, 8, &first));
    assert_ok(round_hold(ledger, first, 0xaa, 1, 5));
    assert_ok(round_replace(ledger, first, 0xaa, 1, 6));
    assert_ok(sotto_ledger_seal(ledger, first, frame, sizeof frame));
    assert_ok(sotto_ledger_acknowledge(ledger, first));
    assert_ok(round_book(ledger, 0xaa, 2, 1, 8, &second));
    assert_ok(round_hold(ledger, second, 0xaa, 2, 7));
    assert_ok(round_book(ledger, 0xaa, 3, 0.5, 8, &third));
    assert_ok(round_hold(ledger, third, 0xaa, 3, 8));
    assert_ok(sotto_ledger_seal(ledger, second, frame, sizeof frame));
}
