/* What an audit found: a table for people, or one JSON object. */
#ifndef SOTTO_CLI_AUDIT_PRINT_H
#define SOTTO_CLI_AUDIT_PRINT_H

#include <sotto/lab/audits.h>

void audit_print_table(const sotto_audit_settings *settings, const sotto_audit_result *result);
void audit_print_json(const sotto_audit_settings *settings, const sotto_audit_result *result);

#endif
