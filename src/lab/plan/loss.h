/* What a person loses by an estimate that is not theta* yet. */
#ifndef SOTTO_LAB_PLAN_LOSS_H
#define SOTTO_LAB_PLAN_LOSS_H

#include <sotto/lab/plans.h>

/* True of 0/1 rewards under the identity link: their chance is x . theta*, cut to [0, 1]. */
bool sotto__chance_is_cut(const sotto_spec *spec);

/* mu'(v). */
double sotto__mean_slope(const sotto_spec *spec, double v);

/* reach, level, best_reward, chance_reward and near_loss, of a match without a fault. */
void sotto__plan_set_rewards(const sotto_spec *spec, sotto_plan *plan);

/* The mean loss of a person whose arm is chosen by an estimate with the cosine 1 - missed to theta*; `missed` is 0
 * to 1, and at 1 the person gets a random arm. */
double sotto__plan_loss(const sotto_plan *plan, double missed);

#endif
