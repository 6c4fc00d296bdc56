/* sotto inspect ledger: what a person has spent. */
#include "core/fault.h"
#include "inspect.h"

#include <sotto/client.h>

#include <math.h>

static void print_facts(facts *list, const sotto_ledger *ledger, double delta_total)
{
    uint64_t rounds = sotto_ledger_rounds(ledger), reports = sotto_ledger_reports(ledger);
    double sum = sotto_ledger_epsilon(ledger);
    double epsilon = sotto_ledger_epsilon_optimal(ledger, delta_total);
    fact_natural(list, "rounds", rounds, "booked; each counts, finished or not");
    fact_natural(list, "reports", reports, "kept, and maybe sent");
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
    sotto_status status = sotto_ledger_file_open(path, &ledger);
    if (status != SOTTO_OK) {
        sotto__fault(text, "%s", sotto_status_text(status));
        return false;
    }
    facts list = facts_begin(json);
    print_facts(&list, ledger, delta_total);
    facts_end(&list);
    sotto_ledger_free(ledger);
    return true;
}
