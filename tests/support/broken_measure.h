/* Measure rounds with a planted fault. */
#ifndef SOTTO_BROKEN_MEASURE_H
#define SOTTO_BROKEN_MEASURE_H

#include "lab/audit/inner.h"

enum {
    BROKEN_MEASURE_HEAVY,       /* w_top is one too large */
    BROKEN_MEASURE_UNCLIPPED,   /* the chance of +1 follows the reward beyond its range */
    BROKEN_MEASURE_LATE_ROLE,   /* some contexts make a follow round a learn round */
    BROKEN_MEASURE_LATE_ARM,    /* some contexts make a control round play another arm */
    BROKEN_MEASURE_LATE_NONCE,  /* some contexts begin again with another nonce */
    BROKEN_MEASURE_BARE,        /* the sign of the reward, without noise, in control rounds */
    BROKEN_MEASURE_MORE_BYTES,  /* draws more when there was no reward */
    BROKEN_MEASURE_WIDE_INDEX,  /* an index of the learn rounds' codebook */
    BROKEN_MEASURE_SECOND_SLOT, /* split: the index of the arm that was played, not the first */
    BROKEN_MEASURE_ONE_ARM,     /* best-arm: some contexts play another arm */
    BROKEN_MEASURE_ONE_BARE,    /* best-arm: the sign of the reward, without noise */
    BROKEN_MEASURES
};

sotto__rounds broken_measures(uint32_t fault);

#endif
