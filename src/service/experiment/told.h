/*
 * What is told of measure rounds. A report of such a round is one bit, and an epoch may have one of them
 * only: sums that change with every publish would tell that bit to whoever looks before and after. So they
 * are told in batches. A batch is told at a publish when each of its parts (the people who follow, and those
 * of each assigned arm) has no report, or at least epoch_reports_min; until then results and history stay as
 * they are.
 *
 * The recent uplift begins at a power of two, which may lie inside a batch. If either part of that batch has
 * too few reports, the recent uplift is not told until it begins again.
 *
 * After a restart all is told that is known then: who can restart the service can read its files. In a
 * service of several processes what is told lies with each model, so that all of them tell the same.
 */
#ifndef SERVICE_TOLD_H
#define SERVICE_TOLD_H

#include "experiment.h"
#include "server/learner.h"

typedef struct experiment_told {
    sotto__measures results; /* as they are told; no arms if there are no measure rounds */
    sotto__measures next;    /* as they would be */
    bool hides_recent, will_hide_recent;
    sotto__measured follow, control; /* the sums over all rows of history */
} experiment_told;

/* False: no memory. Everything that the learner knows is told. */
bool told_make(experiment_told *told, const sotto_learner *learner, const sotto_terms *terms);
void told_free(experiment_told *told);

/* Before a publish: what history will have of measure rounds; nothing if no batch is whole. True if one is:
 * then told_done is called once the publish is durable, and before the learner publishes. */
bool told_prepare(experiment_told *told, const sotto_learner *learner, uint64_t reports_min,
                  journal_history *history);
void told_done(experiment_told *told, uint32_t arms);

/* What is told, as bytes: those of told_bytes. */
size_t told_bytes(const sotto_terms *terms);
void told_encode(const experiment_told *told, const sotto_terms *terms, uint8_t *out);
/* Fills one that told_make made for these terms. False, with nothing changed, for anything but what
 * told_encode can have written for them. */
bool told_decode(experiment_told *told, const sotto_terms *terms, const uint8_t *bytes,
                 size_t bytes_count);

#endif
