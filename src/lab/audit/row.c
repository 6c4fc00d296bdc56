/* Rows of the result: one for every comparison. A file of its own, because all layers use it. */
#include "inner.h"
#include "lab/math/math.h"

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

void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p)
{
    bool passed = p > SOTTO__LAW_ALPHA / SOTTO__LAW_ROWS_MAX;
    sotto__audit_row(result, 1, name, measured, expected, p, passed);
}

void sotto__law_lag_row(sotto_audit_result *result, const char *name, const sotto__worst_lag *worst,
                        double numbers)
{
    char text[SOTTO_AUDIT_NAME_BYTES];
    snprintf(text, sizeof text, "%s, %u before", name, worst->lag);
    sotto__law_row(result, text, worst->correlation, 0, sotto__smallest_p(worst->p, numbers));
}
