/* The options that describe a spec. */
#include "spec.h"

sotto_spec spec_of_options(const spec_options *given, const args_option *options)
{
    sotto_spec spec = sotto_spec_default((sotto_reward_kind)given->reward_kind);
#define TAKE(name, field, value)                                                                   \
    if (args_given(options, name)) spec.field = (value)
    TAKE("dim", dim, given->dim);
    TAKE("arms", arms, given->arms);
    TAKE("epsilon", epsilon, given->epsilon);
    TAKE("delta", delta, given->delta);
    TAKE("allow-weak-delta", allow_weak_delta, given->allow_weak_delta);
    TAKE("parameters", parameters, (sotto_parameters)given->parameters);
    TAKE("link", link, (sotto_link)given->link);
    TAKE("reward-range", reward_lo, given->reward_range[0]);
    TAKE("reward-range", reward_hi, given->reward_range[1]);
    TAKE("reward-range", reward_default, given->reward_range[0]);
    TAKE("method", method, (sotto_method)given->method);
    TAKE("score", score, (sotto_score)given->score);
    TAKE("huber-tau", huber_tau, given->huber_tau);
    TAKE("split", split, (sotto_split)given->split);
    TAKE("noise-law", noise_law, (sotto_noise_law)given->noise_law);
    TAKE("context-norm-max", context_norm_max, given->context_norm_max);
    TAKE("theta-norm-max", theta_norm_max, given->theta_norm_max);
    TAKE("epoch-reports-max", epoch_reports_max, given->epoch_reports_max);
    TAKE("window", window_reports, given->window);
    TAKE("lag", epoch_lag_max, given->lag);
    /* A reward that never came counts as 0 where 0 is a reward. */
    if (spec.reward_lo <= 0 && spec.reward_hi >= 0) spec.reward_default = 0;
    return spec;
}
