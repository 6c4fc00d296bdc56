/* What files of this room share. */
#ifndef SERVICE_ARCHIVE_INNER_H
#define SERVICE_ARCHIVE_INNER_H

#include "archive.h"

#include <sotto/server.h>

/* An experiment on its way from one journal to another. */
typedef struct moving {
    sottod_journal *from, *to;
    const uint8_t *id; /* the wanted one; NULL: the only one */
    bool with_reports;
    uint32_t experiments;          /* found */
    journal_experiment experiment; /* its number is that in `from`; its texts are in `held` */
    uint8_t *held;
    sotto_terms terms;
    sotto_learner *learner; /* after all rows */
    journal_counts counts;  /* after all rows */
    uint64_t snapshot_seq;
    bool ended;             /* the snapshot is final */
    uint64_t rows;          /* found */
    uint32_t publishes;     /* among the rows */
    journal_counts in_rows; /* counts of the rows */
    uint32_t number;        /* in `to` */
    uint64_t seq;           /* of the last row in `to` */
    sotto_fault *fault;
} moving;

/* Always false; the fault is in m->fault. */
#define archive__fail(m, ...) ((void)sotto__refuse((m)->fault, __VA_ARGS__), false)
/* Turns a journal's answer into the result: if it is false, either `take` stopped and has set the fault, or the
 * journal failed. */
bool archive__done(moving *m, sottod_journal *journal, bool answer);
/* ---- archive_check */

/* Anybody who can compute a SHA-256 can write a wrong journal with correct digests; what would keep the service from
 * starting is refused. The first is called as soon as the experiment is read, the second at the end. */
bool archive__check_experiment(moving *m);
bool archive__check_content(moving *m);

#endif
