/* Facts about a spec, a report, a model, a tally, a ledger, and the paper's calibration. */
#ifndef SOTTO_CLI_INSPECT_INSPECT_H
#define SOTTO_CLI_INSPECT_INSPECT_H

#include "cli/print/facts.h"

#include <sotto/server.h>

void inspect_spec_facts(facts *list, const sotto_terms *terms);
void inspect_report_facts(facts *list, const sotto_terms *terms, const sotto_report *report);
void inspect_model_facts(facts *list, const sotto_terms *terms, const sotto_model *model);
void inspect_tally_facts(facts *list, const sotto_tally *tally);
/* Prints what a person has spent. False, with the reason in `text` and nothing printed, if the ledger
 * at `path` is refused. */
bool inspect_ledger_print(const char *path, double delta_total, bool json,
                          char text[SOTTO_FAULT_BYTES]);

/* A table of the paper's calibration and ours: over a grid, or for the numbers given. */
void inspect_calibration(const double *epsilon, const double *delta, const double *bound,
                         bool json);

#endif
