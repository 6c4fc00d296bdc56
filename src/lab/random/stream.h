/* Seeded streams by purpose: contexts, rewards and privacy noise of a run never share numbers, so
 * that methods compared in one experiment meet the same people. */
#ifndef SOTTO_LAB_RANDOM_STREAM_H
#define SOTTO_LAB_RANDOM_STREAM_H

#include "random.h"
#include "ziggurat.h"

typedef enum sotto__purpose {
    SOTTO__PURPOSE_PARAMETERS, /* theta* */
    SOTTO__PURPOSE_CONTEXTS,
    SOTTO__PURPOSE_REWARDS,
    SOTTO__PURPOSE_PRIVACY,   /* what devices draw */
    SOTTO__PURPOSE_INITIAL,   /* where the authors' code starts */
    SOTTO__PURPOSE_LIARS,     /* who lies, and the nonces that they try */
    SOTTO__PURPOSE_ORDER,     /* in which order rows of a file are played, and which are left out */
    SOTTO__PURPOSE_BOOTSTRAP, /* which rows of a log are drawn again */
    SOTTO__PURPOSE_MISSING,   /* whose reward never comes */
    SOTTO__PURPOSE_DELAY,     /* how long reports are on their way */
} sotto__purpose;

/* State = SHA-256("sotto lab stream" | seed u64 | purpose u32). */
void sotto__stream_begin(sotto__seeded *stream, uint64_t seed, sotto__purpose purpose);

#endif
