/* Rounds with a planted fault. */
#ifndef SOTTO_BROKEN_ROUND_H
#define SOTTO_BROKEN_ROUND_H

#include "lab/audit/inner.h"

enum {
    BROKEN_ROUND_NO_LEDGER,   /* books nowhere */
    BROKEN_ROUND_NO_REFUSAL,  /* books elsewhere when the ledger refuses */
    BROKEN_ROUND_LATE_BEGIN,  /* begins when the context is there */
    BROKEN_ROUND_LATE_NONCE,  /* books one nonce, reports under another, drawn after the context */
    BROKEN_ROUND_NEW_RESEND,  /* a retry is a new report of the same secret */
    BROKEN_ROUND_LONG_REPORT, /* a byte more for large rewards */
    BROKEN_ROUND_SILENT,      /* no report when there was no reward */
    BROKEN_ROUND_MORE_BYTES,  /* draws more when there was no reward */
    BROKEN_ROUND_HALF_NOISE,  /* every tick halved before it leaves */
    BROKEN_ROUND_BARE_TICK,   /* the last tick is the reward, without noise */
    BROKEN_ROUND_WARM_UP,     /* books nowhere in warm-up */
    BROKEN_ROUND_MAIN,        /* books nowhere in the main phase */
    BROKEN_ROUND_OTHER_BYTES, /* sends other bytes than it has recorded, and resends them */
    BROKEN_ROUND_MEAN,        /* books nowhere in the mean phase */
    BROKEN_ROUND_MEAN_ARM,    /* plays the arm that the context likes in the mean phase */
    BROKEN_ROUND_MEAN_REWARD, /* reports as in warm-up in the mean phase */
    BROKEN_ROUND_FAR,         /* large rewards move the report by half of what the noise covers */
};

sotto__rounds broken_rounds(uint32_t fault);

#endif
