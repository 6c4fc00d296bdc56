/* A service of one experiment, over a journal in memory or on disk, and frames for it. */
#ifndef SOTTO_DESK_H
#define SOTTO_DESK_H

#include "journal_memory.h"
#include "service/experiment/experiment.h"
#include "tape.h"

#define DESK_MINUTE 30000000u /* in the year 2027 */
#define DESK_GROUP_BYTES (2u << 20)

typedef struct desk {
    sottod_journal *journal;
    sottod_experiments *all;
    sottod_intake *intake;
    sottod_experiment *experiment; /* the one created last */
    sottod_log *log;               /* NULL */
    experiments_settings settings;
    uint64_t now_ms;
    tape random;
} desk;

/* No experiment yet. Time begins at 5 s. */
desk desk_of(uint64_t seed);
void desk_free(desk *d);
/* Closes the experiments and the journal, and opens them again. */
void desk_restart(desk *d);

/* The default: continuous rewards, 3 numbers, 3 arms, lag 2, epochs of 10 reports, 1 s and 3 reports at
 * least. */
experiment_request desk_request(void);
/* Creates an experiment, which must be accepted. NULL: desk_request(). */
sottod_experiment *desk_create(desk *d, const experiment_request *request);
/* desk_of, with this experiment. */
desk desk_with(uint64_t seed, const experiment_request *request);

/* `count` new frames that the learner takes, of open epochs chosen at random; the caller frees them. */
uint8_t *desk_frames(desk *d, const sottod_experiment *experiment, uint32_t count);
/* The same of one epoch. */
uint8_t *desk_frames_of(desk *d, const sottod_experiment *experiment, uint32_t epoch,
                        uint32_t count);
/* Offers `count` new frames and commits; all must be taken. */
void desk_take(desk *d, uint32_t count);
/* The same, and ends the epoch a second later, if it has enough. Returns the epoch that is open then. */
uint32_t desk_epoch(desk *d, uint32_t count);
/* Offers these frames, which the group must take. */
void desk_give(desk *d, const uint8_t *frames, uint32_t count);
/* The same, and commits. */
void desk_take_frames(desk *d, const uint8_t *frames, uint32_t count);
/* Offers these frames; true if the group took them. */
bool desk_offer(desk *d, const uint8_t *frames, uint32_t count, sottod_refusal *why);
void desk_commit(desk *d);
/* Moves the clock by `later_ms` and runs one turn with the backlog drained. False if the journal
 * failed. */
bool desk_turn(desk *d, uint64_t later_ms);
/* The same, which must work. Returns the epoch that is open then. */
uint32_t desk_turned(desk *d, uint64_t later_ms);
/* Counts of reports since the last publish by role, and the sums of measure rounds; `epoch` is the
 * current one. */
journal_history desk_since_publish(const sottod_experiment *experiment);

/* True if both have the same model and learner, to the bit, and the same counts in all and since
 * the last publish. */
bool desk_same(const sottod_experiment *one, const sottod_experiment *other);
void desk_assert_counts(const sottod_experiment *experiment, uint64_t folded, uint64_t late,
                        uint64_t duplicate, uint64_t conflicting);

#endif
