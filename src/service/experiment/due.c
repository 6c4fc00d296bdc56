#include "due.h"

static bool is_crowded(const due_rule *rule, uint64_t reports)
{
    uint64_t epochs = rule->epoch_lag_max + UINT64_C(2);
    return reports >= (rule->nonces_max + epochs - 1) / epochs;
}

static bool enough(const due_rule *rule, const sotto_learner *learner, uint64_t learn, uint64_t all)
{
    if (is_crowded(rule, all)) return all >= rule->reports_min;
    return learn >= rule->reports_min && learn >= sotto_learner_wanted(learner);
}

bool due_has_enough(const due_rule *rule, const sotto_learner *learner)
{
    const sotto_unpublished sum = sotto_learner_unpublished(learner);
    return enough(rule, learner, sotto_learner_taken(learner),
                  sum.learn + sum.control + sum.follow);
}

bool due_could_be(const due_rule *rule, const sotto_learner *learner, uint64_t reports)
{
    return enough(rule, learner, reports, reports);
}
