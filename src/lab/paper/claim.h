/* Which of two methods has less regret, and whether so few runs can tell. */
#ifndef SOTTO_LAB_PAPER_CLAIM_H
#define SOTTO_LAB_PAPER_CLAIM_H

#include "lab/text/pool.h"
#include "part.h"

typedef enum sotto__verdict {
    SOTTO__VERDICT_YES,
    SOTTO__VERDICT_NO,
    SOTTO__VERDICT_CANNOT_TELL, /* within 3 standard errors */
    SOTTO__VERDICT_NOT_PLAYED,
} sotto__verdict;

/* Of "less", with its standard error. */
sotto__verdict sotto__verdict_of(double less, double error);

/* That `one` has less regret than `other`, seed by seed at the last round. */
typedef struct sotto__claim {
    sotto__verdict verdict;
    sotto_player one, other;
    double less, error; /* by how much in the mean, and its standard error */
} sotto__claim;

/* The paper's: the worse of its own methods against the better of the earlier ones. */
sotto__claim sotto__claim_of_paper(const sotto__part *part, double epsilon);
/* Ours: sotto against the best of the paper's methods. */
sotto__claim sotto__claim_of_sotto(const sotto__part *part, double epsilon);

/* "yes: sotto has 12 ± 3 less than ldp-sgd", "cannot tell: ldp-sgd has 12 ± 30 more than ldp-gloc";
 * "-" if it was not played. */
const char *sotto__claim_text(const sotto__claim *claim, sotto__pool *pool);

#endif
