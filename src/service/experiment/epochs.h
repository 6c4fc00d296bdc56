/*
 * When epochs end, and what follows from it. An experiment publishes when
 *
 *     it is open
 *     its schedule wants it        reports since the last publish >= sotto_learner_wanted; or their nonces
 *                                  fill their part of nonces_max, so that no epoch refuses reports for ever
 *     enough people are in it      >= epoch_reports_min
 *     it lasted long enough        epoch_seconds_min since the last publish, or since the start
 *     the backlog is drained       or the epoch waited for that for EPOCHS_BACKLOG_S_MAX
 *
 * Publishing: a row in the journal, durable, first; then the learner's step and the new model.
 * A snapshot follows when the frames since the last one weigh 4 times as much, or after 10 minutes; then
 * rows that no open epoch needs are removed. An experiment without an epoch left (2^32), or whose model has
 * numbers that no device would take, is closed.
 *
 * Over a journal that several processes share none of this happens here: a folder does it. A turn then reads
 * what others did: new experiments, states, models. Epochs never go back.
 */
#ifndef SERVICE_EPOCHS_H
#define SERVICE_EPOCHS_H

#include "experiment.h"

#define EPOCHS_BACKLOG_S_MAX 600u
#define EPOCHS_HISTORY_WEEK_MIN (7u * 24u * 60u) /* minutes after which history is thinned */

/* Publishes what is due. `drained`: no report is waiting anywhere in this process. An experiment
 * with reports in a group that is not committed waits for the commit. False if the journal failed; what could not be published is tried again at the next call. */
bool epochs_turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained);
/* Milliseconds until one may become due by time alone; -1: none. */
int epochs_timeout_ms(const sottod_experiments *all, uint64_t now_ms);

/* Notes what other processes changed, so that the next turn reads it. Does not wait. */
void epochs_notice(sottod_experiments *all);

/* Snapshots of all that changed, and removal of rows: at the end, and now and then. */
bool epochs_keep(sottod_experiments *all);
uint64_t epochs_published(const sottod_experiments *all); /* since the start */
uint64_t epochs_published_in_backlog(
    const sottod_experiments *all); /* of them, with the backlog not drained */

#endif
