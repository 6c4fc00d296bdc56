/* Yardsticks and verdicts where a table says what each arm earns. */
#ifndef SOTTO_LAB_REPLAY_TABLE_SUMMARY_H
#define SOTTO_LAB_REPLAY_TABLE_SUMMARY_H

#include "replay.h"

/* Of people with these labels, together: what giving this arm to all of them earns; and an arm drawn
 * for each, all equally likely. `rewards` is arms x arms, `label_count` has one number per label. */
double sotto__table_reward(const double *rewards, uint32_t arms, const uint64_t *label_count,
                           uint32_t arm);
double sotto__table_random_reward(const double *rewards, uint32_t arms,
                                  const uint64_t *label_count);
/* The arm that earns most if everybody gets it; the first of several. */
uint32_t sotto__table_best_arm(const double *rewards, uint32_t arms, const uint64_t *label_count);

/* A summary of labels, as sotto__replay_summary_of makes it, in the light of the table: the yardsticks
 * are the best arm, found in hindsight, in place of the majority arm, and a random arm; and methods are
 * judged against these. Differences are in units of the range of rewards where 0.02 or 0.05 of them are
 * much. Without a table nothing changes. */
SOTTO_CHECK sotto_status sotto__replay_summary_by_table(const sotto__replay *replay,
                                                        sotto_replay_summary *summary);

#endif
