/* What files of this room share. */
#ifndef SOTTO_CLI_RESULTS_INNER_H
#define SOTTO_CLI_RESULTS_INNER_H

#include "cli/option/option.h"
#include "fleet/fleet.h"

struct json_t; /* of jansson, whose header is not included: it has names of cli/print, too */

#define RESULTS_TEXT_BYTES 400u

/* ---- read ----------------------------------------------------------------------------------- */

/* The answers of the admin port, after they were checked. */

typedef struct results_interval {
    double value, lo, hi; /* not finite if the answer has null */
} results_interval;

typedef struct results_arm {
    uint64_t reports;
    results_interval mean, uplift;
} results_arm;

typedef struct results_read {
    struct json_t *one, *results; /* the answers as received */
    const char *id;
    const char *name; /* "" if it has none; may contain any character */
    const char *state;
    bool binary;   /* rewards are 0 or 1: differences are percentage points */
    bool measured; /* there are measure rounds; if false, the fields below are empty */
    results_arm follow, control;
    results_interval uplift, recent;
    uint64_t recent_reports;
    bool fallen;
    uint32_t arms;
    results_arm *arm;
    double alpha;
    bool harmed;
    int64_t better_arm, served_since; /* -1: none */
    bool held;
} results_read;

/* Takes ownership of both answers. A fault if one does not conform to docs/openapi.json. */
SOTTO_CHECK sotto_status results_take(struct json_t *one, struct json_t *results, results_read *out,
                                      sotto_fault *fault);
void results_free(results_read *read);

/* ---- print ---------------------------------------------------------------------------------- */

/* The result in one sentence. */
void results_sentence(const results_read *read, char out[RESULTS_TEXT_BYTES]);
/* The caveats, one sentence each. */
#define RESULTS_CAVEATS_MAX 10u
typedef struct results_caveats {
    uint32_t count;
    char text[RESULTS_CAVEATS_MAX][RESULTS_TEXT_BYTES];
} results_caveats;
void results_list_caveats(const results_read *read, results_caveats *list);

void results_print(const results_read *read);
void results_print_csv(const results_read *read);
/* Defined in read.c. False if there is no memory. */
bool results_print_json(const results_read *read);

#endif
