/* What the options of `sotto simulate` ask for: a comparison, and whom it plays with. */
#ifndef SOTTO_CLI_SIMULATE_REQUEST_H
#define SOTTO_CLI_SIMULATE_REQUEST_H

#include "lab/run/comparison.h"
#include "options.h"

typedef struct simulate_request {
    sotto__comparison comparison;
    struct sotto__loan *loan; /* the study of environment loan; otherwise NULL */
} simulate_request;

/* An exit status; unless it is EXIT_OK the reason is on stderr and `out` is empty. */
int simulate_request_of(const command_line *line, simulate_options *s, simulate_request *out);
void simulate_request_free(simulate_request *request);

#endif
