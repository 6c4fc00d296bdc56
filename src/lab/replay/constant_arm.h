/* What is earned without learning: by one arm for everybody, by random arms, by the right arm for everybody. */
#ifndef SOTTO_LAB_REPLAY_CONSTANT_ARM_H
#define SOTTO_LAB_REPLAY_CONSTANT_ARM_H

#include "run.h"

/* Of people with labels, together: what giving this arm to all of them earns; and an arm drawn for each,
 * all equally likely. `label_count` has one number per label. By the table of the rules; without one the
 * arm of a person's label earns 1, and others 0. */
double sotto__constant_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count, uint32_t arm);
double sotto__random_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                const uint64_t *label_count);
/* What the arm that earns most for each of them earns. */
double sotto__right_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                               const uint64_t *label_count);
/* hi - lo of rewards: what is much is so by it. */
double sotto__reward_range(const sotto__replay_rules *rules);
/* The arm that earns most if everybody gets it, the first of several; without a table that of the
 * commonest label. */
uint32_t sotto__best_constant_arm(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count);

#endif
