#include "core/core.h"
#include "server.h"

#include <math.h>
#include <string.h>

/* ==== measure ================================================================================ */

/*
 * What measure rounds add up to, and how sure it is.
 *
 * A report of such a round is z = +1 or -1, 1-sub-Gaussian around its conditional mean, so that the normal
 * mixture (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021) gives intervals that may be looked at
 * any time: for all n at once, with chance 1 - alpha, zbar is within
 *
 *     W(n) = sqrt(2 (n rho^2 + 1)/(n^2 rho^2) ln(sqrt(n rho^2 + 1)/alpha))
 *     rho^2 = (2 ln(1/alpha) + ln(1 + 2 ln(1/alpha)))/n*,   n* = 10,000
 *
 * of the running average of those means, which may change while the policy learns.
 */

double sotto__measure_width(uint64_t n, double alpha)
{
    if (n == 0) return INFINITY;
    double log_odds = 2 * log(1 / alpha);
    double rho2 = (log_odds + sotto__log1p(log_odds)) / 10000;
    double scaled = (double)n * rho2 + 1;
    return sqrt(2 * scaled / ((double)n * (double)n * rho2) * log(sqrt(scaled) / alpha));
}

static void add(sotto__measured *to, const sotto__measured *from)
{
    to->count += from->count;
    to->sum += from->sum;
}

uint32_t sotto__log2_floor(uint64_t n)
{
    uint32_t log2 = 0;
    while (n >>= 1) {
        log2++;
    }
    return log2;
}

uint32_t sotto__measures_doublings(const sotto__measures *measures)
{
    return sotto__log2_floor(measures->follow.count + measures->control.count);
}

void sotto__measures_copy(const sotto__measures *from, uint32_t arms, sotto__measures *to)
{
    sotto__measured *control_arm = to->control_arm;
    *to = *from;
    to->control_arm = control_arm;
    memcpy(control_arm, from->control_arm, arms * sizeof control_arm[0]);
}

void sotto__measures_add(sotto__measures *measures, const sotto_tally *tally)
{
    if (!tally->decides || tally->measured == 0) return;
    sotto__measured control = {0};
    for (uint32_t a = 0; a < tally->terms.spec.arms; a++) {
        add(&measures->control_arm[a], &tally->control[a]);
        add(&control, &tally->control[a]);
    }
    sotto__measures_add_roles(measures, &tally->follow, &control);
}

void sotto__measures_add_roles(sotto__measures *measures, const sotto__measured *follow,
                               const sotto__measured *control)
{
    add(&measures->follow, follow);
    add(&measures->control, control);
    uint32_t doublings = sotto__measures_doublings(measures);
    if (doublings > measures->doublings) {
        measures->doublings = doublings;
        measures->recent_follow = measures->recent_control = (sotto__measured){0};
        return; /* what passes a power of two belongs to what was before */
    }
    add(&measures->recent_follow, follow);
    add(&measures->recent_control, control);
}

/* ==== mean =================================================================================== */

/*
 * The mean phase.
 *
 * Its n reports carry x/||x||. With z their unit codewords and B the scale of the codebook,
 *
 *     mhat = (B/n) sum z                      the mean of x/||x||, without bias
 *     s = max(0, 1 - B^2/(n ||mhat||^2))      the part of ||mhat||^2 that is not noise; 0 if mhat = 0
 *     g = sqrt(.7 s) mhat/||mhat||
 *
 * in which B cancels: with L = ||sum z||, s = max(0, 1 - n/L^2) and g = sqrt(.7 s) sum z/L.
 *
 * Devices then use x - (g . x) g at its old length: with s = 1 that leaves 0.3 of what contexts have
 * along their mean, so that a constant among the features is still there to be learned.
 *
 * The phase pays if T >= 30 dim V, V the smaller of the variances B^2 q of a report in warm-up and in the
 * main phase, and then lasts for min(.03 T, 10 B^2) reports. By measurement.
 */

#define TAKEN_OFF 0.7

void sotto__mean_add(sotto__mean *mean, const sotto_spec *spec, uint64_t reports, const double *sum)
{
    for (uint32_t i = 0; i < spec->arms * spec->dim; i++) {
        mean->sum[i % spec->dim] += sum[i];
    }
    mean->reports += reports;
}

void sotto__mean_direction(const sotto__mean *mean, uint32_t dim, double *g)
{
    double length = sotto__norm(mean->sum, dim);
    double sure = length > 0 ? fmax(0, 1 - (double)mean->reports / (length * length)) : 0;
    double scale = sure > 0 ? sqrt(TAKEN_OFF * sure) / length : 0;
    for (uint32_t i = 0; i < dim; i++) {
        g[i] = scale * mean->sum[i];
    }
}

static double variance(const sotto_terms *terms, sotto_phase phase)
{
    return sotto__codebook_variance(&terms->codebook[phase], terms->spec.epsilon,
                                    sotto__score_size(&terms->spec, phase));
}

uint64_t sotto_learning_mean_phase(const sotto_terms *terms, uint64_t horizon)
{
    if (terms == NULL || !sotto__phase_exists(&terms->spec, SOTTO_PHASE_MEAN)) return 0;
    double t = (double)horizon, scale = terms->codebook[SOTTO_PHASE_MEAN].scale;
    double least = fmin(variance(terms, SOTTO_PHASE_WARM_UP), variance(terms, SOTTO_PHASE_MAIN));
    if (horizon == 0 || t < 30 * terms->spec.dim * least) return 0;
    return (uint64_t)fmin(0.03 * t, 10 * scale * scale);
}

/* ==== uplift ================================================================================= */

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
