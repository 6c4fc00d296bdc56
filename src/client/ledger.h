/* The interface every ledger implements, wherever it keeps its record. */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "side.h"

#include <sotto/client.h>

/* What a round books before it may see a context. */
typedef struct sotto__debit {
    const uint8_t *spec_id;
    const uint8_t *nonce;
    double epsilon;
    double delta;
    double epsilon_lifetime; /* the policy's cap on the sum */
} sotto__debit;

struct sotto_ledger {
    /* Books a round. SOTTO_E_BUDGET, with nothing booked, if the cap would be passed. */
    sotto_status (*debit)(sotto_ledger *ledger, const sotto__debit *debit);
    /* Keeps the report of the round that was booked with this nonce, before it may leave. */
    sotto_status (*record)(sotto_ledger *ledger, const uint8_t *nonce, const uint8_t *frame,
                           size_t frame_bytes);
    void (*free)(sotto_ledger *ledger);
    double epsilon;  /* booked so far */
    uint64_t rounds; /* booked so far */
};

#endif
