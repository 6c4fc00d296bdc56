/* What `sotto privatise` prints. */
#ifndef SOTTO_CLI_PRIVATISE_PRINT_H
#define SOTTO_CLI_PRIVATISE_PRINT_H

#include "options.h"

/* The constants of the mechanism, "-" (null in JSON) where it has none. */
void privatise_print_header(const sotto_mechanism *mechanism, bool json);

/* The report drawn last, on a line: its estimate, or what is sent. */
void privatise_print_report(const sotto_mechanism *mechanism, const privatise_options *options,
                            const double *estimate);

#endif
