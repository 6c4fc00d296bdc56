/* What all ledgers can tell, and the queue of what must still be sent. */
#include "ledger.h"

#include <math.h>
#include <string.h>

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

uint64_t sotto_ledger_dropped(const sotto_ledger *ledger)
{
    return ledger == NULL ? 0 : ledger->dropped;
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

static sotto_status ledger_unsent(sotto_ledger *ledger, uint64_t after, sotto_unsent *out)
{
    return ledger->unsent(ledger, after, out);
}

sotto_status sotto_ledger_unsent(sotto_ledger *ledger, uint64_t after, sotto_unsent *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    memset(out, 0, sizeof *out);
    return SOTTO__UNSEEN(ledger_unsent)(ledger, after, out);
}

static sotto_status ledger_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                                size_t capacity_bytes)
{
    return ledger->seal(ledger, entry, frame, capacity_bytes);
}

sotto_status sotto_ledger_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                               size_t capacity_bytes)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL || frame == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(ledger_seal)(ledger, entry, frame, capacity_bytes);
}

static sotto_status ledger_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    return ledger->acknowledge(ledger, entry);
}

sotto_status sotto_ledger_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(ledger_acknowledge)(ledger, entry);
}

static sotto_status ledger_drop(sotto_ledger *ledger, uint64_t entry)
{
    return ledger->drop(ledger, entry);
}

sotto_status sotto_ledger_drop(sotto_ledger *ledger, uint64_t entry)
{
    SOTTO__DEFAULT_FLOATS;
    if (ledger == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(ledger_drop)(ledger, entry);
}
