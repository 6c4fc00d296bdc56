/* The options of `sotto privatise`. */
#ifndef SOTTO_CLI_PRIVATISE_OPTIONS_H
#define SOTTO_CLI_PRIVATISE_OPTIONS_H

#include "cli/option/option.h"

#include <sotto/lab/mechanisms.h>

typedef enum privatise_format { PRIVATISE_VECTOR, PRIVATISE_RAW } privatise_format;

typedef struct privatise_options {
    sotto_mechanism_kind mechanism;
    privatise_format format;
    uint32_t dim, codebook_size;
    double epsilon, delta, radius;
    uint64_t count, seed;
    bool allow_weak_delta, header, json, quiet;
} privatise_options;

extern const option privatise_table[];

/* False, with a sentence, if they ask for nothing that can be done. */
bool privatise_options_settings(const command_line *line, char **argv,
                                const privatise_options *options, sotto_mechanism_settings *out);

#endif
