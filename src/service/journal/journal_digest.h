/* The digests of the journal's rows. Their bytes are specified at the head of journal_digest.c. */
#ifndef SERVICE_JOURNAL_DIGEST_H
#define SERVICE_JOURNAL_DIGEST_H

#include "journal.h"

/* Where the rows of an experiment begin and end. */
typedef struct journal_ends {
    uint64_t anchor_seq;                  /* the last row that was removed; 0: none */
    uint64_t head_seq;                    /* the last row that was written; 0: none */
    uint8_t anchor[JOURNAL_DIGEST_BYTES]; /* their digests; zeros if there is none */
    uint8_t head[JOURNAL_DIGEST_BYTES];
} journal_ends;

/* One time that rows were given up after damage. */
typedef struct journal_recovery {
    uint32_t number;  /* 1, 2, … */
    uint64_t kept_to; /* rows of damaged experiments after this one were given up */
    uint64_t last;    /* the last number that any row had had; never used again */
} journal_recovery;

/* `before` is the digest of the row before, of the same experiment. It may be `out`. */
void journal__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], const journal_row *row,
                         uint8_t out[JOURNAL_DIGEST_BYTES]);
/* Formats differ in these two. */
void journal__digest_experiment(const journal_experiment *experiment, uint32_t format,
                                uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_history(const journal_history *history, uint32_t format,
                             uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_ends(uint32_t experiment, const journal_ends *ends,
                          uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_snapshot(const journal_snapshot *snapshot, uint8_t out[JOURNAL_DIGEST_BYTES]);
void journal__digest_recovery(const journal_recovery *recovery, uint8_t out[JOURNAL_DIGEST_BYTES]);

#endif
