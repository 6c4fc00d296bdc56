/* The options of `sotto inspect`. */
#ifndef SOTTO_CLI_INSPECT_OPTIONS_H
#define SOTTO_CLI_INSPECT_OPTIONS_H

#include "cli/option/option.h"

#include <sotto/core.h>

/* What is inspected: a spec made from options differs from one in a file. */
enum {
    INSPECT_SPEC = 1,
    INSPECT_SPEC_FILE = 2,
    INSPECT_FRAME = 4, /* a report, a model or a tally */
    INSPECT_CODEWORD = 8,
    INSPECT_LEDGER = 16,
    INSPECT_CALIBRATION = 32,
};

typedef struct inspect_options {
    sotto_spec spec; /* what was given of its terms */
    double reward_range[2], measure_share;
    const char *out_file, *spec_file, *spec_id, *nonce;
    uint32_t codebook_size, index, arm;
    bool json, quiet;
} inspect_options;

extern const option inspect_table[];

/* The spec by default for the kind of reward, with the terms that were given. */
sotto_spec inspect_options_spec(const command_line *line, const inspect_options *options);

#endif
