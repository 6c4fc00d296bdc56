/* Spies that the audit hands to a client: they behave, and remember what was asked of them. */
#ifndef SOTTO_LAB_AUDIT_SPIES_H
#define SOTTO_LAB_AUDIT_SPIES_H

#include "client/ledger.h"
#include "lab/random/random.h"

/* A seeded generator that counts. */
typedef struct sotto__spy_rng {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    uint64_t drawn_bytes;
} sotto__spy_rng;

void sotto__spy_rng_begin(sotto__spy_rng *spy, uint64_t seed);

#define SOTTO__SPY_FRAME_BYTES 4096u

/* A ledger without a limit. */
typedef struct sotto__spy_ledger {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    bool refuses_debit, refuses_record;
    uint32_t debits, records;              /* asked for */
    uint64_t entry, recorded_entry;        /* of the last debit, of the last record */
    uint8_t nonce[SOTTO_NONCE_BYTES];      /* of the last debit */
    double epsilon, delta;                 /* of the last debit */
    uint8_t frame[SOTTO__SPY_FRAME_BYTES]; /* of the last record */
    size_t frame_bytes;
} sotto__spy_ledger;

void sotto__spy_ledger_begin(sotto__spy_ledger *spy);

#endif
