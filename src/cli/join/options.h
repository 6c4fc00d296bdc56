/* The options of `sotto join`. */
#ifndef SOTTO_CLI_JOIN_OPTIONS_H
#define SOTTO_CLI_JOIN_OPTIONS_H

#include "cli/option/option.h"
#include "cli/option/secret.h"

#include <sotto/transport.h>

#define JOIN_ROUNDS_MAX 1000
#define JOIN_KEY_BYTES_MIN 16u /* of a report key */

typedef struct join_options {
    uint32_t rounds;
    const char *context_file; /* NULL: contexts are made up; "-": the standard input */
    bool with_reward;
    const char *ledger_file; /* NULL: the person's own */
    double epsilon_max, epsilon_lifetime, measure_max;
    const char *proxy, *relay, *ca_file, *report_key_file;
    double timeout_s;
    bool yes, json, quiet;
} join_options;

extern const option join_table[];

/* What the libraries take, from what was said. */
typedef struct join_settings {
    const char *url;
    char report_key[SECRET_BYTES_MAX + 1]; /* `site` points to it, if there is one */
    sotto_policy policy;
    sotto_wire_options wire;
    sotto_site_options site;
} join_settings;

/* False, with a sentence, if they ask for nothing that can be done. */
bool join_options_settings(const command_line *line, char **argv, const join_options *options,
                           join_settings *out);

#endif
