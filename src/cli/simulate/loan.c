/* The auto-loan study in `sotto simulate`, on synthetic customers. */
#include "loan.h"
#include "lab/loan/file.h"

#include <inttypes.h>
#include <stdio.h>

#define PROGRAM "sotto simulate"

sotto_scene simulate_loan_shape(void)
{
    return (sotto_scene){
        .dim = SOTTO__LOAN_DIM, .arms = SOTTO__LOAN_ARMS, .link = SOTTO_LINK_LOGIT};
}

bool simulate_loan_open(bool quiet, simulate_plan *plan)
{
    char fault[SOTTO__LOAN_FAULT_BYTES];
    sotto__loan *loan = NULL;
    const char *found = sotto__loan_open(NULL, &loan, fault);
    if (found != NULL) {
        fprintf(stderr, PROGRAM ": --environment loan: %s\n", found);
        return false;
    }
    plan->loan = loan;
    plan->population = &loan->population;
    if (quiet) return true;
    fprintf(stderr,
            PROGRAM ": SYNTHETIC customers: %" PRIu64 " rows of the stand-in, not the data of the "
                    "auto-loan study\n",
            loan->rows);
    return true;
}

void simulate_loan_close(simulate_plan *plan)
{
    sotto__loan_free(plan->loan);
    plan->loan = NULL;
    plan->population = NULL;
}
