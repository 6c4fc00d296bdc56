/* What files of this room share. */
#ifndef SOTTO_CLI_INSPECT_INNER_H
#define SOTTO_CLI_INSPECT_INNER_H

#include "cli/option/option.h"
#include "cli/print/print.h"

#include <sotto/core.h>
#include <sotto/server.h>

/* ---- inspect -------------------------------------------------------------------------------- */

/* Facts about a spec, a report, a model, a tally, a ledger, and the paper's calibration. */

void inspect_spec_facts(facts *list, const sotto_terms *terms);
/* The epsilon of one person among `reports` shuffled reports, at this delta. */
sotto_status inspect_shuffle_facts(facts *list, const sotto_terms *terms, uint64_t reports,
                                   double delta);
void inspect_report_facts(facts *list, const sotto_terms *terms, const sotto_report *report);
void inspect_model_facts(facts *list, const sotto_terms *terms, const sotto_model *model);
void inspect_tally_facts(facts *list, const sotto_tally *tally);
/* Prints what a person has spent; nothing if the ledger at `path` is refused. */
SOTTO_CHECK sotto_status inspect_ledger_print(const char *path, double delta_total, bool json,
                                              sotto_fault *fault);

/* Prints the paper's calibration beside ours, over a grid or for the numbers given. */
void inspect_calibration(const double *epsilon, const double *delta, const double *bound,
                         bool json);

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto inspect`. */

/* The kinds of subject. A spec made from options takes other options than a spec from a file. */
enum {
    INSPECT_SPEC = 1,
    INSPECT_SPEC_FILE = 2,
    INSPECT_FRAME = 4, /* a report, a model or a tally */
    INSPECT_CODEWORD = 8,
    INSPECT_LEDGER = 16,
    INSPECT_CALIBRATION = 32,
};

typedef struct inspect_options {
    sotto_spec spec; /* the terms that were given */
    double reward_range[2], measure_share;
    const char *out_file, *spec_file, *spec_id, *nonce;
    uint32_t codebook_size, index, arm;
    uint64_t shuffle;
    bool json, quiet;
} inspect_options;

extern const option inspect_table[];

/* The default spec for the kind of reward, changed by the terms that were given. */
sotto_spec inspect_options_spec(const command_line *line, const inspect_options *options);

#endif
