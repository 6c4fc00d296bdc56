/* What is earned without learning. */
#include "constant_arm.h"

#include <math.h>

double sotto__constant_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count, uint32_t arm)
{
    double sum = 0;
    if (rules->rewards == NULL) return (double)label_count[arm];
    for (uint32_t label = 0; label < arms; label++) {
        sum += (double)label_count[label] * rules->rewards[(size_t)label * arms + arm];
    }
    return sum;
}

double sotto__random_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                const uint64_t *label_count)
{
    double sum = 0;
    for (uint32_t arm = 0; arm < arms; arm++) {
        sum += sotto__constant_arm_reward(rules, arms, label_count, arm);
    }
    return sum / arms;
}

double sotto__right_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                               const uint64_t *label_count)
{
    double sum = 0;
    for (uint32_t label = 0; label < arms; label++) {
        const double *rewards =
            rules->rewards == NULL ? NULL : rules->rewards + (size_t)label * arms;
        double most = rewards == NULL ? 1 : rewards[0];
        for (uint32_t arm = 1; rewards != NULL && arm < arms; arm++) {
            most = fmax(most, rewards[arm]);
        }
        sum += (double)label_count[label] * most;
    }
    return sum;
}

double sotto__reward_range(const sotto__replay_rules *rules)
{
    return rules->rewards == NULL ? 1 : rules->reward_hi - rules->reward_lo;
}

uint32_t sotto__best_constant_arm(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count)
{
    uint32_t best = 0;
    double most = sotto__constant_arm_reward(rules, arms, label_count, 0);
    for (uint32_t arm = 1; arm < arms; arm++) {
        double sum = sotto__constant_arm_reward(rules, arms, label_count, arm);
        if (sum <= most) continue;
        best = arm;
        most = sum;
    }
    return best;
}
