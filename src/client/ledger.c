/* What all ledgers can tell. */
#include "ledger.h"

#include <math.h>

void sotto_ledger_free(sotto_ledger *ledger)
{
    if (ledger != NULL) ledger->free(ledger);
}

uint64_t sotto_ledger_rounds(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->spent.rounds;
}

uint64_t sotto_ledger_reports(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->reports;
}

double sotto_ledger_epsilon(const sotto_ledger *ledger)
{
    return ledger == NULL ? INFINITY : ledger->spent.epsilon;
}

double sotto_ledger_delta(const sotto_ledger *ledger)
{
    return ledger == NULL ? INFINITY : ledger->spent.delta;
}

double sotto_ledger_epsilon_optimal(const sotto_ledger *ledger, double delta_total)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return INFINITY;
    return SOTTO__UNSEEN(sotto__spent_epsilon)(&ledger->spent, delta_total);
}

const char *sotto_ledger_fault(const sotto_ledger *ledger)
{
    return ledger == NULL ? sotto_status_text(SOTTO_E_ARGUMENT) : ledger->fault;
}
