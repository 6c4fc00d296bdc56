/* The customers of the auto-loan study: a file, or the synthetic stand-in. */
#include "cli/option/args.h"
#include "lab/loan/file.h"
#include "lab/loan/standin.h"
#include "reproduce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_needed(const reproduction *r)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        bool all = experiment->kind == SOTTO__EXPERIMENT_CONSTANTS;
        bool loan = experiment->stages_count > 0 && sotto__stage_is_loan(&experiment->stage[0]);
        if ((all || loan) && reproduce_wants(r, experiment)) return true;
    }
    return false;
}

int reproduce_loan_open(reproduction *r)
{
    char fault[SOTTO__LOAN_FAULT_BYTES];
    if (!is_needed(r)) {
        if (r->data == NULL) return EXIT_OK;
        fprintf(stderr, REPRODUCE ": --data %s: --only %s does not need it\n", r->data, r->only);
        return EXIT_USAGE;
    }
    if (sotto__loan_open(r->data, &r->loan, fault) != NULL) {
        fprintf(stderr, REPRODUCE ": --data: %s\n", fault);
        return EXIT_FAILED;
    }
    r->customers = &r->loan->population;
    return EXIT_OK;
}

void reproduce_loan_close(reproduction *r)
{
    sotto__loan_free(r->loan);
    r->loan = NULL;
    r->customers = NULL;
}

bool reproduce_is_synthetic(const reproduction *r, const sotto__experiment *experiment)
{
    bool loan = experiment->stages_count > 0 && sotto__stage_is_loan(&experiment->stage[0]);
    return loan && sotto__loan_origin_of(&r->loan->signs) != SOTTO__LOAN_UNKNOWN;
}

/* A file that shows the marks of a stand-in is one, whatever it is called. */
const char *reproduce_loan_notice(reproduction *r)
{
    if (r->loan == NULL) return NULL;
    sotto__loan_origin origin = sotto__loan_origin_of(&r->loan->signs);
    const char *file = r->data == NULL ? "the stand-in that comes with sotto" : r->data;
    if (origin == SOTTO__LOAN_UNKNOWN) {
        return sotto__pool_print(&r->pool,
                                 "Auto loans: %" PRIu64 " customers of %s, taken as given: nothing "
                                 "in a file can prove where it comes from.",
                                 r->loan->rows, file);
    }
    return sotto__pool_print(&r->pool,
                             "Auto loans: SYNTHETIC customers (%s). The %" PRIu64 " rows of %s are "
                             "not the data of the study, and nothing below about auto loans is a "
                             "result on them.",
                             sotto__loan_origin_name(origin), r->loan->rows, file);
}

/* Never over a file that is there: it might be the data. */
int reproduce_standin_write(const char *path, uint64_t seed)
{
    FILE *file = fopen(path, "wx");
    if (file == NULL) {
        fprintf(stderr, REPRODUCE ": --standin %s: %s\n", path, strerror(errno));
        return EXIT_FAILED;
    }
    sotto_status status = sotto__loan_standin_write(file, SOTTO__LOAN_STANDIN_ROWS, seed);
    bool written = !ferror(file);
    if (fclose(file) != 0) written = false;
    if (status == SOTTO_OK && written) {
        printf("%s: %u synthetic customers\n", path, SOTTO__LOAN_STANDIN_ROWS);
        return EXIT_OK;
    }
    fprintf(stderr, REPRODUCE ": --standin %s: %s\n", path,
            status == SOTTO_OK ? strerror(errno) : sotto_status_text(status));
    return EXIT_FAILED;
}
