/* The interface every ledger implements, wherever it keeps its record. */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "budget.h"
#include "core/fault.h"
#include "side.h"

#include <sotto/client.h>

/* What a round books before it may see a context. */
typedef struct sotto__debit {
    const uint8_t *spec_id;
    const uint8_t *nonce;
    double epsilon;
    double delta;
    const sotto_policy *policy; /* the limits that it must fit */
} sotto__debit;

/* When a round was begun and when its report leaves, in milliseconds since 1970. */
typedef struct sotto__due {
    uint64_t begun_ms; /* 1 to SOTTO__BEGUN_MS_MAX */
    uint64_t send_at_ms;
} sotto__due;

#define SOTTO__BEGUN_MS_MAX (UINT64_C(1) << 62)

struct sotto_ledger {
    /* Books a round and gives its number. SOTTO_E_BUDGET, with nothing booked, if it does not fit
     * the policy. */
    sotto_status (*debit)(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry);
    /* Keeps the final report of the round that was booked under this number, before it may leave. */
    sotto_status (*record)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                           size_t frame_bytes);
    /* The same for a held round: in place of the report that `hold` kept, which must be there and
     * not sealed. */
    sotto_status (*replace)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                            size_t frame_bytes);
    /* Books when the report of a round leaves: once, and before `hold`. */
    sotto_status (*due)(sotto_ledger *ledger, uint64_t entry, const sotto__due *due);
    /* Keeps a report that `replace` may still replace. */
    sotto_status (*hold)(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                         size_t frame_bytes);
    /* The next four as sotto_ledger_seal, _acknowledge, _drop and _unsent. */
    sotto_status (*seal)(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                         size_t capacity_bytes);
    sotto_status (*acknowledge)(sotto_ledger *ledger, uint64_t entry);
    sotto_status (*drop)(sotto_ledger *ledger, uint64_t entry);
    sotto_status (*unsent)(sotto_ledger *ledger, uint64_t after, sotto_unsent *out);
    /* The report of the last round booked for a spec, if it was kept and cannot change. */
    sotto_status (*recall)(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                           size_t frame_bytes, bool *found);
    void (*free)(sotto_ledger *ledger);
    sotto__spent spent;
    uint64_t reports;             /* rounds that ended in one */
    uint64_t dropped;             /* of them: given up */
    const char *fault;            /* why the last call was refused: `text`, or NULL */
    char text[SOTTO_FAULT_BYTES]; /* room for it */
};

/* Says why in the ledger's own words. */
#define sotto__refuse(ledger, ...)                                                                 \
    ((ledger)->fault = sotto__fault((ledger)->text, __VA_ARGS__), SOTTO_E_LEDGER)

#endif
