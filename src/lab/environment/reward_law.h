/* How rewards fall around their means. A person has one random number, the luck, drawn before any arm
 * is chosen: with it and the mean of an arm, the reward of that arm is fixed. */
#ifndef SOTTO_LAB_ENVIRONMENT_REWARD_LAW_H
#define SOTTO_LAB_ENVIRONMENT_REWARD_LAW_H

#include "lab/random/stream.h"

#include <sotto/core.h>
#include <sotto/lab/environments.h>

/* One draw per person, whatever the law: a standard normal, or a uniform in (0, 1). */
double sotto__draw_luck(sotto_reward_law law, const sotto__ziggurat *ziggurat,
                        sotto__seeded *stream);

/* The reward of a person of this luck. `noise` is the sd of law gaussian. Of law poisson: counts
 * stop at 1000, and means above 700 give 1000. */
double sotto__reward(sotto_reward_law law, double mean, double noise, double luck);

/* The mean reward where x . theta* = v: mu(v). A chance is from 0 to 1: binary rewards under the identity
 * link have the nearest to v that is one, as the score self takes it. */
double sotto__mean_reward(const sotto_spec *spec, double v);

#endif
