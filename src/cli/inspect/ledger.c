/* sotto inspect ledger: what a person has spent, and what must still be sent. */
#include "core/fault.h"
#include "inspect.h"

#include <sotto/client.h>

#include <math.h>

/* How many reports must still be sent. */
static sotto_status count_unsent(sotto_ledger *ledger, uint64_t *count)
{
    sotto_unsent next = {.entry = 0};
    *count = 0;
    for (;; (*count)++) {
        sotto_status status = sotto_ledger_unsent(ledger, next.entry, &next);
        if (status != SOTTO_OK || next.entry == 0) return status;
    }
}

static void print_facts(facts *list, const sotto_ledger *ledger, uint64_t unsent,
                        double delta_total)
{
    uint64_t rounds = sotto_ledger_rounds(ledger), reports = sotto_ledger_reports(ledger);
    double sum = sotto_ledger_epsilon(ledger);
    double epsilon = sotto_ledger_epsilon_optimal(ledger, delta_total);
    fact_natural(list, "rounds", rounds, "booked; each counts, finished or not");
    fact_natural(list, "reports", reports, "kept, and maybe sent");
    fact_natural(list, "unsent", unsent, "of them: not acknowledged or dropped");
    fact_natural(list, "dropped", sotto_ledger_dropped(ledger), "of them: given up");
    fact_natural(list, "open_rounds", rounds - reports,
                 "begun without a report: spent nevertheless");
    fact_real(list, "epsilon_basic", sum, "sum over the rounds, at delta_basic");
    fact_real(list, "delta_basic", sotto_ledger_delta(ledger), "sum over the rounds");
    fact_real(list, "delta_total", delta_total, "at which the rounds are composed");
    fact_real(list, "epsilon_total", epsilon, "the smallest that holds at delta_total");
    fact_text(list, "composition",
              isinf(epsilon)  ? "none"
              : epsilon < sum ? "optimal"
                              : "basic",
              "the bound that counts");
}

bool inspect_ledger_print(const char *path, double delta_total, bool json,
                          char text[SOTTO_FAULT_BYTES])
{
    sotto_ledger *ledger;
    if (sotto_ledger_file_fault(path, text) != NULL) return false;
    uint64_t unsent;
    sotto_status status = sotto_ledger_file_open(path, &ledger);
    if (status == SOTTO_OK) status = count_unsent(ledger, &unsent);
    if (status == SOTTO_OK) {
        facts list = facts_begin(json);
        print_facts(&list, ledger, unsent, delta_total);
        facts_end(&list);
    } else {
        sotto__fault(text, "%s", sotto_status_text(status));
    }
    sotto_ledger_free(ledger);
    return status == SOTTO_OK;
}
