/* What files of this room share. */
#ifndef SOTTO_CLI_AUDIT_INNER_H
#define SOTTO_CLI_AUDIT_INNER_H

#include "cli/option/option.h"
#include "cli/plugin/plugin.h"

#include <sotto/lab/audits.h>

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto audit`. */

typedef struct audit_options {
    sotto_mechanism_kind mechanism;
    plugin *custom; /* that has the mechanism; NULL: the mechanism is ours */
    const char *exec;
    uint32_t dim, codebook_size;
    double epsilon, delta, radius, alpha, timeout_s;
    uint64_t trials, seed;
    bool allow_weak_delta, json, quiet;
} audit_options;

extern const option audit_table[];

/* False, with a sentence, if the options cannot be used. */
bool audit_options_settings(const command_line *line, char **argv, const audit_options *options,
                            sotto_audit_settings *out);

/* ---- print ---------------------------------------------------------------------------------- */

/* What an audit found: a table for people, or one JSON object. */

void audit_print_table(const sotto_audit_settings *settings, const sotto_audit_result *result);
void audit_print_json(const sotto_audit_settings *settings, const sotto_audit_result *result);

#endif
