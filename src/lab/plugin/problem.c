/* What the two sides of a run are told. */
#include "problem.h"

sotto_problem sotto__problem_of(const sotto_spec *spec, uint64_t horizon, const double *worth)
{
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    return (sotto_problem){
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .link = spec->link,
        .reward_kind = spec->reward_kind,
        .context_count = per_arm ? spec->dim : spec->arms * spec->dim,
        .theta_count = per_arm ? spec->arms * spec->dim : spec->dim,
        .reward_lo = spec->reward_lo,
        .reward_hi = spec->reward_hi,
        .context_norm_max = spec->context_norm_max,
        .theta_norm_max = spec->theta_norm_max,
        .horizon = horizon,
        .worth = worth,
    };
}
