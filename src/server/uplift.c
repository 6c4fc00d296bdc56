/*
 * What the policy is worth, by measure rounds.
 *
 * The mean of a report z = +1 or -1 is y/B, y = 2 (r - lo)/(hi - lo) - 1 the reward in units of its
 * range and B = (w_top + w_rest)/(w_top - w_rest). So a mean reward is
 *
 *     lo + (hi - lo)(1 + B zbar)/2.
 *
 * Uplift = follow - control, each at alpha/2, widths added. The recent one starts again whenever the
 * number of measure rounds passes a power of two 2^j, with alpha_j = alpha/(j (j + 1)): these add up to
 * alpha. Over fixed arms: each mean at alpha/(arms + 1).
 */
#include "core/public_stream.h"
#include "learner.h"

#include <math.h>

/* A mean reward and its half-width. */
typedef struct estimate {
    double value, half;
} estimate;

static estimate mean_reward(const sotto_terms *terms, const sotto__measured *of, double alpha)
{
    const sotto_spec *spec = &terms->spec;
    double range = spec->reward_hi - spec->reward_lo;
    double scale = sotto__measure_codebook(&terms->codebook[SOTTO_PHASE_MAIN]).scale;
    double mean = of->count == 0 ? NAN : (double)of->sum / (double)of->count;
    return (estimate){spec->reward_lo + range * (1 + scale * mean) / 2,
                      range * scale * sotto__measure_width(of->count, alpha) / 2};
}

/* An interval is never wider than what is possible. */
static sotto_interval interval_of(estimate e, double lo, double hi)
{
    if (isnan(e.value)) return (sotto_interval){NAN, lo, hi};
    return (sotto_interval){e.value, fmin(hi, fmax(lo, e.value - e.half)),
                            fmax(lo, fmin(hi, e.value + e.half))};
}

static sotto_interval mean_interval(const sotto_terms *terms, const sotto__measured *of,
                                    double alpha)
{
    return interval_of(mean_reward(terms, of, alpha), terms->spec.reward_lo, terms->spec.reward_hi);
}

static sotto_interval difference(const sotto_terms *terms, const sotto__measured *of,
                                 const sotto__measured *less, double alpha_each)
{
    estimate a = mean_reward(terms, of, alpha_each), b = mean_reward(terms, less, alpha_each);
    double range = terms->spec.reward_hi - terms->spec.reward_lo;
    return interval_of((estimate){a.value - b.value, a.half + b.half}, -range, range);
}

static sotto_status check(const sotto_terms *terms, double alpha)
{
    if (!(alpha > 0 && alpha < 1)) return SOTTO_E_FAULT;
    return terms->spec.measure == 0 ? SOTTO_E_SPEC : SOTTO_OK;
}

sotto_status sotto__measurement(const sotto_terms *terms, const sotto__measures *measures,
                                double alpha, sotto_measurement *out)
{
    sotto_status status = check(terms, alpha);
    if (status != SOTTO_OK) return status;
    const sotto__measures *m = measures;
    double j = m->doublings < 1 ? 1 : m->doublings;
    *out = (sotto_measurement){
        .follow_count = m->follow.count,
        .control_count = m->control.count,
        .recent_follow_count = m->recent_follow.count,
        .recent_control_count = m->recent_control.count,
        .follow = mean_interval(terms, &m->follow, alpha / 2),
        .control = mean_interval(terms, &m->control, alpha / 2),
        .uplift = difference(terms, &m->follow, &m->control, alpha / 2),
        .recent_uplift =
            difference(terms, &m->recent_follow, &m->recent_control, alpha / (j * (j + 1)) / 2),
    };
    return SOTTO_OK;
}

sotto_status sotto__arm_measurement(const sotto_terms *terms, const sotto__measures *measures,
                                    double alpha, uint32_t arm, sotto_arm_measurement *out)
{
    sotto_status status = check(terms, alpha);
    if (status != SOTTO_OK) return status;
    if (arm >= terms->spec.arms) return SOTTO_E_INDEX;
    const sotto__measured *of = &measures->control_arm[arm];
    double each = alpha / (terms->spec.arms + 1.0);
    *out = (sotto_arm_measurement){
        .count = of->count,
        .mean = mean_interval(terms, of, each),
        .uplift = difference(terms, &measures->follow, of, each),
    };
    return SOTTO_OK;
}

sotto_status sotto_learner_measure(const sotto_learner *learner, double alpha,
                                   sotto_measurement *out)
{
    if (learner == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    return sotto__measurement(&learner->terms, &learner->measures, alpha, out);
}

sotto_status sotto_learner_measure_arm(const sotto_learner *learner, double alpha, uint32_t arm,
                                       sotto_arm_measurement *out)
{
    if (learner == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    return sotto__arm_measurement(&learner->terms, &learner->measures, alpha, arm, out);
}
