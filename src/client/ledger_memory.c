/* A ledger in memory, for tests, the lab and first trials. */
#include "ledger.h"

#include <stdlib.h>

static sotto_status memory_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    ledger->fault = sotto__budget_refusal(&ledger->spent, debit->epsilon, debit->delta,
                                          debit->policy, ledger->text);
    if (ledger->fault != NULL) return SOTTO_E_BUDGET;
    sotto__settle(&ledger->spent, debit->policy);
    sotto__spend(&ledger->spent, debit->epsilon, debit->delta);
    *entry = ledger->spent.rounds;
    return SOTTO_OK;
}

/* The round itself holds the bytes of its last report for as long as this ledger would. */
static sotto_status memory_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                  size_t frame_bytes)
{
    (void)entry, (void)frame, (void)frame_bytes;
    ledger->fault = NULL;
    ledger->reports++;
    return SOTTO_OK;
}

static sotto_status memory_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                  size_t frame_bytes, bool *found)
{
    (void)spec_id, (void)frame, (void)frame_bytes;
    ledger->fault = NULL;
    *found = false;
    return SOTTO_OK;
}

static void memory_free(sotto_ledger *ledger)
{
    free(ledger);
}

sotto_status sotto_ledger_memory_new(sotto_ledger **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = malloc(sizeof **out);
    if (*out == NULL) return SOTTO_E_MEMORY;
    **out = (sotto_ledger){.debit = memory_debit,
                           .record = memory_record,
                           .recall = memory_recall,
                           .free = memory_free};
    return SOTTO_OK;
}
