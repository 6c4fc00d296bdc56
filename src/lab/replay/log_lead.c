/* How far a policy is ahead of another one on the same log. */
#include "log_lead.h"
#include "lab/math/statistics.h"

#include <math.h>

void sotto__log_policy_add(sotto__log_policy *policy, const sotto__evidence *evidence)
{
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        policy->group[j].weight += evidence->group[j].weight;
        policy->group[j].product += evidence->group[j].product;
    }
}

void sotto__log_policy_of_arm(const sotto__yardstick *yardstick, uint32_t arm,
                              sotto__log_policy *out)
{
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        out->group[j] = yardstick->agreed[(size_t)arm * SOTTO__GROUPS + j];
    }
    out->effective_size = sotto__off_policy_effective_size(&yardstick->constant[arm]);
}

static sotto__agreed sums_of(const sotto__log_policy *policy)
{
    sotto__agreed all = {0};
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        all.weight += policy->group[j].weight;
        all.product += policy->group[j].product;
    }
    return all;
}

double sotto__log_value(const sotto__log_policy *policy)
{
    sotto__agreed all = sums_of(policy);
    return all.weight > 0 ? all.product / all.weight : NAN;
}

/* psi_j = (sum w r of j - V sum w of j)/sum w */
static double influence(sotto__agreed group, sotto__agreed all)
{
    return (group.product - all.product / all.weight * group.weight) / all.weight;
}

sotto_span sotto__log_lead(const sotto__log_policy *policy, const sotto__log_policy *other,
                           uint64_t rows, uint32_t comparisons)
{
    bool few = !(policy->effective_size >= SOTTO__AGREED_TELL) ||
               !(other->effective_size >= SOTTO__AGREED_TELL);
    if (few) return (sotto_span){NAN, NAN};
    sotto__agreed all = sums_of(policy), others = sums_of(other);
    double groups = rows < SOTTO__GROUPS ? (double)rows : SOTTO__GROUPS, squares = 0;
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        double psi = influence(policy->group[j], all) - influence(other->group[j], others);
        squares += psi * psi;
    }
    double lead = all.product / all.weight - others.product / others.weight;
    double z = -sotto__normal_quantile(0.025 / comparisons);
    double reach = z * sqrt(groups / (groups - 1) * squares);
    return (sotto_span){lead - reach, lead + reach};
}
