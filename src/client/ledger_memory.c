/*
 * A ledger in memory: for tests, the lab, and a first try.
 *
 * Basic composition: k reports of epsilon_1 .. epsilon_k are (sum epsilon_i)-private together.
 */
#include "ledger.h"

#include <stdlib.h>

/* Ten reports at 0.1 fit a budget of 1, although 0.1 is no binary fraction. */
static const double rounding_slack = 1e-12;

static sotto_status memory_debit(sotto_ledger *ledger, const sotto__debit *debit)
{
    double sum = ledger->epsilon + debit->epsilon;
    if (!(sum <= debit->epsilon_lifetime * (1 + rounding_slack))) return SOTTO_E_BUDGET;
    ledger->epsilon = sum;
    ledger->rounds++;
    return SOTTO_OK;
}

/* The round itself holds the bytes of its last report for as long as this ledger would. */
static sotto_status memory_record(sotto_ledger *ledger, const uint8_t *nonce, const uint8_t *frame,
                                  size_t frame_bytes)
{
    (void)ledger, (void)nonce, (void)frame, (void)frame_bytes;
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
    **out = (sotto_ledger){memory_debit, memory_record, memory_free, 0, 0};
    return SOTTO_OK;
}

void sotto_ledger_free(sotto_ledger *ledger)
{
    if (ledger != NULL) ledger->free(ledger);
}

double sotto_ledger_epsilon(const sotto_ledger *ledger)
{
    return ledger->epsilon;
}

uint64_t sotto_ledger_rounds(const sotto_ledger *ledger)
{
    return ledger->rounds;
}
