/* Rows: one for every comparison. */
#include "row.h"

#include <stdio.h>

void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed)
{
    if (result->rows_count == SOTTO_AUDIT_ROWS_MAX) return;
    sotto_audit_row *row = &result->row[result->rows_count++];
    *row = (sotto_audit_row){.layer = layer,
                             .statistic = statistic,
                             .bound = bound,
                             .p_value = p_value,
                             .passed = passed};
    snprintf(row->name, sizeof row->name, "%s", name);
}
