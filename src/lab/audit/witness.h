/* Witnesses: one number for an answer, large where it speaks for the first secret of its pair. */
#ifndef SOTTO_LAB_AUDIT_WITNESS_H
#define SOTTO_LAB_AUDIT_WITNESS_H

#include "event.h"
#include "subject.h"

typedef struct sotto__witness sotto__witness;
struct sotto__witness {
    double (*of)(sotto__witness *witness, const sotto__answer *answer);
    /* Witnesses whose sign names the secret, above 0 the first, for guesses that need to be sure. */
    uint32_t sure_count;
    double (*sure)(sotto__witness *witness, uint32_t which, const sotto__answer *answer);
    void (*free)(sotto__witness *witness);
};

#define SOTTO__SURE_WITNESSES_MAX 4u
/* Of a learned witness: the projection that separates best if the noise is normal, 0 half-way. */
#define SOTTO__SURE_DIRECTION 0u

/* ln P(answer | x)/P(answer | x') by the claim: the best witness there is, if the claim is true. For
 * every family but OUTSIDE. Borrows the claim. */
SOTTO_CHECK sotto_status sotto__witness_known(const sotto__claim *claim, const double *x,
                                              const double *other, sotto__witness **out);

/* What a program answered to known secrets. */
typedef struct sotto__sample {
    uint32_t width; /* numbers of an answer */
    uint64_t count;
    const double *value; /* count x width */
    const uint8_t *secret;
} sotto__sample;

/* Learns several witnesses on one sample and keeps the one that by the other will show most on `fresh`
 * trials. `trial` is room for choose->count; *event is the best event of the witness kept. */
SOTTO_CHECK sotto_status sotto__witness_learn(const sotto__sample *train,
                                              const sotto__sample *choose, uint64_t fresh,
                                              double delta, double alpha,
                                              sotto__witnessed_trial *trial, sotto__event *event,
                                              sotto__witness **out);

void sotto__witness_free(sotto__witness *witness);

/* The same for the same answer, and hardly ever for another. */
uint64_t sotto__answer_key(const double *y, uint32_t width);

#endif
