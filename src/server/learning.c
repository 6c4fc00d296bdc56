/* How the server learns: defaults, what is wrong with given settings, and the length of warm-up. */
#include "core/fault.h"
#include "core/method.h"

#include <sotto/server.h>

#include <inttypes.h>
#include <math.h>

const char *sotto_step_name(sotto_step value)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO_STEP_MAP(NAME)};
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

/* What arms in few dimensions need beyond that: there one arm often hides behind another, and no report
 * of the main phase is about it. d <= 3 and K >= 5: 10 K log10(T/10^4), if that is above 0. */
static double hidden_arms_warm_up(const sotto_spec *spec, uint64_t horizon)
{
    if (spec->dim > 3 || spec->arms < 5 || horizon <= 10000) return 0;
    return 10.0 * spec->arms * log10((double)horizon / 1e4);
}

/* sotto, per-arm: c K (pi/2) d B^2 reports, c = clip(1.5 K/d, 0.5, 3), and those of hidden arms; at most
 * T/5. On real data T/50 to T/10, and B is that of the codebook without nulls. */
static double tracked_warm_up(const sotto_terms *terms, uint64_t horizon)
{
    bool real_data = sotto__for_real_data(&terms->spec);
    double d = terms->spec.dim, arms = terms->spec.arms, t = (double)horizon;
    double scale = terms->codebook[real_data ? SOTTO_PHASE_MEAN : SOTTO_PHASE_WARM_UP].scale;
    double c = fmax(0.5, fmin(3, 1.5 * arms / d));
    double wanted = ceil(c * arms * 1.57079632679489661923 * d * scale * scale) +
                    hidden_arms_warm_up(&terms->spec, horizon);
    if (horizon == 0) return wanted;
    return real_data ? fmax(t / 50, fmin(t / 10, wanted)) : fmin(floor(t / 5), wanted);
}

/* P_0 on real data: rewards that follow no model have no bound on theta to go by. */
static double prior_variance(const sotto_spec *spec)
{
    double range = spec->reward_hi - spec->reward_lo;
    if (!sotto__for_real_data(spec)) return 0;
    if (spec->link == SOTTO_LINK_IDENTITY) return 0.5 * range * range;
    return spec->theta_norm_max * spec->theta_norm_max / spec->dim;
}

/* The paper's methods, per-arm: K s_0 rounds, s_0 = max(10 d, T/(20 K)) where theory needs constants
 * that nobody knows; but never more than half of the horizon. */
static double paper_warm_up(const sotto_terms *terms, uint64_t horizon)
{
    double d = terms->spec.dim, arms = terms->spec.arms;
    double wanted = ceil(arms * fmax(10 * d, (double)horizon / (20 * arms)));
    return horizon == 0 ? wanted : fmin((double)(horizon / 2), wanted);
}

/* Confidence bounds explore by themselves. */
static uint64_t warm_up(const sotto_terms *terms, uint64_t horizon)
{
    const sotto__method *method = sotto__method_of(&terms->spec);
    if (!sotto__phase_exists(&terms->spec, SOTTO_PHASE_WARM_UP) || method->confidence) return 0;
    double reports =
        method->unit_score ? tracked_warm_up(terms, horizon) : paper_warm_up(terms, horizon);
    return (uint64_t)fmin(reports, (double)SOTTO_HORIZON_MAX);
}

sotto_learning sotto_learning_default(const sotto_terms *terms, uint64_t horizon)
{
    if (terms == NULL) return (sotto_learning){0}; /* sotto_learning_fault refuses alpha = 0 */
    return (sotto_learning){
        .horizon = horizon,
        .warm_up = warm_up(terms, horizon),
        .mean_phase = sotto_learning_mean_phase(terms, horizon),
        .prior_variance = prior_variance(&terms->spec),
        .epoch = 1,
        .alpha = 0.1,
        .step = SOTTO_STEP_INVERSE,
        .eta0 = 5,
        .project = true,
        .shift_scale = 1,
        .elimination_scale = 4,
    };
}

static const char *count_fault(const char *name, uint64_t value, uint64_t hi, char *text)
{
    if (value <= hi) return NULL;
    return sotto__fault(text, "%s = %" PRIu64 ": allowed 0 to %" PRIu64, name, value, hi);
}

static const char *prior_fault(const sotto_spec *spec, double prior, char *text)
{
    if (!sotto__for_real_data(spec)) {
        if (prior == 0) return NULL;
        return sotto__fault(
            text,
            "prior_variance = %.15g: must be 0, only terms of version 2 with method "
            "sotto, score self and per-arm parameters have one",
            prior);
    }
    if (prior >= 1e-12 && prior <= 1e12) return NULL;
    return sotto__fault(text, "prior_variance = %.15g: allowed 1e-12 to 1e12", prior);
}

const char *sotto_learning_fault(const sotto_terms *terms, const sotto_learning *learning,
                                 char text[SOTTO_FAULT_BYTES])
{
    if (terms == NULL || learning == NULL || text == NULL) {
        return sotto_status_text(SOTTO_E_ARGUMENT);
    }
    bool warms_up = sotto__phase_exists(&terms->spec, SOTTO_PHASE_WARM_UP);
    const char *fault = count_fault("horizon", learning->horizon, SOTTO_HORIZON_MAX, text);
    if (fault == NULL) {
        fault = count_fault("warm_up", learning->warm_up, warms_up ? SOTTO_HORIZON_MAX : 0, text);
    }
    if (fault == NULL && learning->mean_phase > 0 &&
        !sotto__phase_exists(&terms->spec, SOTTO_PHASE_MEAN)) {
        return sotto__fault(text,
                            "mean_phase = %" PRIu64
                            ": must be 0, only terms of version 2 with method "
                            "sotto, score self and per-arm parameters have that phase",
                            learning->mean_phase);
    }
    if (fault == NULL) {
        fault = count_fault("mean_phase", learning->mean_phase, SOTTO_HORIZON_MAX, text);
    }
    if (fault == NULL) fault = prior_fault(&terms->spec, learning->prior_variance, text);
    if (fault == NULL) fault = count_fault("epoch", learning->epoch, SOTTO_REPORTS_MAX, text);
    if (fault != NULL) return fault;
    if (!(learning->alpha > 0 && learning->alpha < 1)) {
        return sotto__fault(text, "alpha = %.15g: allowed above 0, below 1", learning->alpha);
    }
    if (sotto_step_name(learning->step) == NULL) {
        return sotto__fault(text, "step = %u: allowed 1/t, 1/sqrt", (unsigned)learning->step);
    }
    if (!(learning->eta0 > 0 && learning->eta0 <= 1e6)) {
        return sotto__fault(text, "eta0 = %.15g: allowed above 0, to 1e6", learning->eta0);
    }
    if (!(learning->shift_scale >= 0 && learning->shift_scale <= 1e3)) {
        return sotto__fault(text, "shift_scale = %.15g: allowed 0 to 1000", learning->shift_scale);
    }
    if (!(learning->elimination_scale >= 0)) {
        return sotto__fault(text, "elimination_scale = %.15g: allowed 0 to infinity",
                            learning->elimination_scale);
    }
    return NULL;
}
