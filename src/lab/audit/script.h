/* Scripts: which inputs are put to a subject, in which order, and who takes the answers. */
#ifndef SOTTO_LAB_AUDIT_SCRIPT_H
#define SOTTO_LAB_AUDIT_SCRIPT_H

#include "subject.h"

/* Inputs in order: pair t / trials, of it the one that coin t chooses. */
typedef struct sotto__script {
    uint32_t dim, pairs;
    uint64_t trials;                      /* of each pair */
    const double *input;                  /* pairs x 2 x dim */
    const uint8_t *coins;                 /* a bit for each trial of each pair */
    const sotto_audit_progress *progress; /* who hears of it, or NULL */
    uint64_t progress_start, progress_total;
} sotto__script;

#define SOTTO__AUDIT_PAIRS 5u

/* input: SOTTO__AUDIT_PAIRS x 2 x dim. */
SOTTO_CHECK sotto_status sotto__audit_pairs(uint32_t dim, double radius, sotto_rng *rng,
                                            double *input);
uint32_t sotto__script_coin(const sotto__script *script, uint64_t t);
const double *sotto__script_input(const sotto__script *script, uint64_t t);

/* Now and then, tells that trial t is done. False: whoever hears it wants no more. */
bool sotto__script_progress(const sotto__script *script, uint64_t t);
/* Tells it at once. */
bool sotto__script_tell(const sotto__script *script, uint64_t t);
#define SOTTO__AUDIT_STOPPED "it was stopped"

/* Who takes the answers, in order; a status other than SOTTO_OK ends the questions. */
typedef struct sotto__taker sotto__taker;
struct sotto__taker {
    sotto_status (*take)(sotto__taker *taker, uint64_t t, const sotto__answer *answer);
};

/* Inputs that go wrong first: bounds, corners, huge, tiny, not finite. */
uint32_t sotto__hard_inputs(void);
void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x);

#endif
