/* What files of this room share. */
#ifndef SOTTO_CLI_PRIVATISE_INNER_H
#define SOTTO_CLI_PRIVATISE_INNER_H

#include "cli/option/option.h"

#include <sotto/lab/mechanisms.h>

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto privatise`. */

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

/* False, with a sentence, if the options cannot be used. */
bool privatise_options_settings(const command_line *line, char **argv,
                                const privatise_options *options, sotto_mechanism_settings *out);

/* ---- print ---------------------------------------------------------------------------------- */

/* What `sotto privatise` prints. */

/* Prints the constants of the mechanism: "-" (null in JSON) for a constant that it does not
 * have. */
void privatise_print_header(const sotto_mechanism *mechanism, bool json);

/* Prints the last report on one line: its estimate, or what is sent. */
void privatise_print_report(const sotto_mechanism *mechanism, const privatise_options *options,
                            const double *estimate);

#endif
