/* Rows: one for every comparison that the audit makes. */
#ifndef SOTTO_LAB_AUDIT_ROW_H
#define SOTTO_LAB_AUDIT_ROW_H

#include <sotto/lab/audits.h>

/* NAN stands for a number that does not exist. */
void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed);

#endif
