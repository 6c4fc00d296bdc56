/* The options of `sotto audit`. */
#ifndef SOTTO_CLI_AUDIT_OPTIONS_H
#define SOTTO_CLI_AUDIT_OPTIONS_H

#include "cli/option/option.h"
#include "cli/plugin/load.h"

#include <sotto/lab/audits.h>

typedef struct audit_options {
    sotto_mechanism_kind mechanism;
    plugin *brought; /* the file of a brought one; NULL: one of ours */
    const char *exec;
    uint32_t dim, codebook_size;
    double epsilon, delta, radius, alpha, timeout_s;
    uint64_t trials, seed;
    bool allow_weak_delta, json, quiet;
} audit_options;

extern const option audit_table[];

/* False, with a sentence, if they ask for no audit. */
bool audit_options_settings(const command_line *line, char **argv, const audit_options *options,
                            sotto_audit_settings *out);

#endif
