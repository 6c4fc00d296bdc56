/* Whether the server has what it acknowledged. */
#ifndef SOTTO_FLEET_CHECK_H
#define SOTTO_FLEET_CHECK_H

#include <sotto/core.h>

/* What the senders know. */
typedef struct sotto__check_sent {
    uint64_t acknowledged; /* reports that got a 204 */
    uint64_t once;         /* reports that left, at least once */
    uint64_t all;          /* how often a report left, again and again included */
} sotto__check_sent;

/* What the server says that it counted (docs/operations.md, section 8). */
typedef struct sotto__check_counts {
    uint64_t folded, late, duplicate, conflicting;
} sotto__check_counts;

typedef struct sotto__check {
    bool exact; /* by the server's counts; otherwise by what its public model says */
    bool holds; /* nothing shows that it does not */
    char text[SOTTO_FAULT_BYTES]; /* in words, with the numbers */
} sotto__check;

/* By the counts of the experiment before and after, if nobody else sent to it in between:
 *
 *     acknowledged <= folded + late      each was taken, or came too late. One that was told to be a duplicate
 *                                        was taken or late when it came first
 *     folded       <= once               nobody counts twice
 *     folded + late + duplicate <= all   nothing comes from nowhere
 *     conflicting   = 0
 *
 * If no report had to be sent again, and all were acknowledged, then folded + late = acknowledged and there is
 * no duplicate. */
sotto__check sotto__check_by_counts(const sotto__check_sent *sent,
                                    const sotto__check_counts *before,
                                    const sotto__check_counts *after);

/* By the reports that a model was made of: at the first publish that was seen, and at the last. In between nothing
 * can have come but what was sent. A report that is missing does not show: it may be of a measure round, late, or in
 * an epoch that is not over. `publishes`: how many models were seen after the first person began. */
sotto__check sotto__check_by_model(const sotto__check_sent *sent, uint64_t publishes,
                                   uint64_t reports_first, uint64_t reports_last);

#endif
