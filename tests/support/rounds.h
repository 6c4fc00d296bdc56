/* Rounds in a ledger, without the rest of a client: debits and frames built from small numbers. */
#ifndef SOTTO_ROUNDS_H
#define SOTTO_ROUNDS_H

#include "client/client.h"

#define ROUND_FRAME_BYTES 42

/* A frame of spec id (spec, spec, ...) and nonce (nonce, nonce, ...). */
void round_frame(uint8_t spec, uint8_t nonce, uint8_t frame[ROUND_FRAME_BYTES]);
/* Books a round under the default policy with this lifetime. */
sotto_status round_book(sotto_ledger *ledger, uint8_t spec, uint8_t nonce, double epsilon,
                        double lifetime, uint64_t *entry);
/* Books such a round of spec 0xaa at epsilon 1, lifetime 8; returns its number. */
uint64_t round_booked(sotto_ledger *ledger, uint8_t nonce);
/* The ledger refuses another round with this sentence. */
void assert_stopped(sotto_ledger *ledger, const char *says);
/* The same with another index, as if drawn again. */
void round_frame_of(uint8_t spec, uint8_t nonce, uint8_t index, uint8_t frame[ROUND_FRAME_BYTES]);
/* Keeps a report that may be replaced, or a final one. */
sotto_status round_hold(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce,
                        uint8_t index);
sotto_status round_replace(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce,
                           uint8_t index);
/* Keeps the round's frame. */
sotto_status round_keep(sotto_ledger *ledger, uint64_t entry, uint8_t spec, uint8_t nonce);
/* Recalls a frame of that length. */
sotto_status round_recall(sotto_ledger *ledger, uint8_t spec, uint8_t frame[ROUND_FRAME_BYTES],
                          bool *found);

/* The rounds of the golden ledgers "held": one over, one sealed, one held. */
void rounds_held(sotto_ledger *ledger);

#endif
