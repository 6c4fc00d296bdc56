/* Rounds with a planted fault. */
#ifndef SOTTO_BROKEN_ROUND_H
#define SOTTO_BROKEN_ROUND_H

#include "lab/audit/inner.h"

enum {
    BROKEN_ROUND_NO_LEDGER,   /* books no round */
    BROKEN_ROUND_NO_REFUSAL,  /* books elsewhere when the ledger refuses */
    BROKEN_ROUND_LATE_BEGIN,  /* begins only after it has the context */
    BROKEN_ROUND_LATE_NONCE,  /* books one nonce, reports under another, drawn after the context */
    BROKEN_ROUND_NEW_RESEND,  /* a retry sends a new report of the same secret */
    BROKEN_ROUND_LONG_REPORT, /* one byte more for large rewards */
    BROKEN_ROUND_SILENT,      /* no report when there was no reward */
    BROKEN_ROUND_MORE_BYTES,  /* draws more when there was no reward */
    BROKEN_ROUND_HALF_NOISE,  /* every tick halved before it leaves */
    BROKEN_ROUND_BARE_TICK,   /* the last tick is the reward, without noise */
    BROKEN_ROUND_WARM_UP,     /* books no round in warm-up */
    BROKEN_ROUND_MAIN,        /* books no round in the main phase */
    BROKEN_ROUND_OTHER_BYTES, /* records one frame, and sends and resends another */
    BROKEN_ROUND_MEAN,        /* books no round in the mean phase */
    BROKEN_ROUND_MEAN_ARM,    /* plays an arm that depends on the context in the mean phase */
    BROKEN_ROUND_MEAN_REWARD, /* reports in the mean phase as in warm-up */
    BROKEN_ROUND_FAR,         /* large rewards move the report by half of what the noise covers */
};

sotto__rounds broken_rounds(uint32_t fault);

#endif
