/* When an epoch has enough reports to end: the same for a service alone and for a folder of several. */
#ifndef SERVICE_DUE_H
#define SERVICE_DUE_H

#include <sotto/server.h>

/* The rule of one experiment. */
typedef struct due_rule {
    uint64_t reports_min;   /* epoch_reports_min */
    uint32_t nonces_max;    /* of one experiment's open epochs */
    uint32_t epoch_lag_max; /* of its spec */
} due_rule;

/* What the learner took since the last publish is enough. The schedule and the floor count learn reports, and
 * those of measure rounds while a fallback is served (sotto_learner_taken).
 * If the nonces of so long an epoch, and of those that stay open beside it, are about all that can be known,
 * all reports count for the floor, and the schedule does not: an epoch that could not end would refuse
 * reports for ever, and whoever sends measure reports alone does not hold it up. */
bool due_has_enough(const due_rule *rule, const sotto_learner *learner);
/* Whether so many more reports could be enough for a learner that took none since the last publish: if
 * all of them are new, and learn reports. */
bool due_could_be(const due_rule *rule, const sotto_learner *learner, uint64_t reports);

#endif
