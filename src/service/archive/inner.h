/* What files of this room share. */
#ifndef SERVICE_ARCHIVE_INNER_H
#define SERVICE_ARCHIVE_INNER_H

#include "archive.h"

#include <sotto/server.h>

/* An experiment on its way from a journal to another one. */
typedef struct moving {
    sottod_journal *from, *to;
    const uint8_t *id; /* whose; NULL: the only one */
    bool with_reports;
    uint32_t experiments;          /* that were found */
    journal_experiment experiment; /* its number is that in `from`, and its texts lie in `held` */
    uint8_t *held;
    sotto_terms terms;
    sotto_learner *learner; /* after all rows */
    journal_counts counts;  /* likewise */
    uint64_t snapshot_seq;
    bool ended;             /* the snapshot is the last one there will be */
    uint64_t rows;          /* that are there */
    uint32_t publishes;     /* of these */
    journal_counts in_rows; /* what they have */
    uint32_t number;        /* in `to` */
    uint64_t seq;           /* of the last row there */
    sotto_fault *fault;
} moving;

/* All answer false with m->fault. */
#define archive__fail(m, ...) ((void)sotto__refuse((m)->fault, __VA_ARGS__), false)
/* A function of a journal that answers false has either stopped because `take` did, which has said why, or failed
 * itself. */
bool archive__done(moving *m, sottod_journal *journal, bool answer);
/* ---- archive_check */

/* Anybody who can compute a SHA-256 can write a wrong journal with right digests: what would keep the service from
 * starting is refused. The first is asked as soon as the experiment was read, the second when all was. */
bool archive__check_experiment(moving *m);
bool archive__check_content(moving *m);

#endif
