#include "core/core.h"
#include "inner.h"

#include <sotto/server.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ==== estimator table ======================================================================== */

/* The table of estimators. */

static sotto_status averaged_or_tracked_new(const sotto_terms *terms,
                                            const sotto_learning *learning, sotto__estimator **out)
{
    bool averages = sotto__method_averages(&terms->spec);
    return averages ? sotto__averaged_new(terms, learning, out)
                    : sotto__tracked_new(terms, learning, out);
}

static sotto__estimator_maker *const makers[] = {
    [SOTTO_METHOD_SOTTO] = averaged_or_tracked_new,
    [SOTTO_METHOD_SOTTO_OLS] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_SGD] = sotto__sgd_new,
    [SOTTO_METHOD_LDP_OLS] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_UCB] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_GLOC] = sotto__gloc_new,
    [SOTTO_METHOD_BEST_ARM] = sotto__best_arm_new,
};

sotto_status sotto__estimator_new(const sotto_terms *terms, const sotto_learning *learning,
                                  sotto__estimator **out)
{
    *out = NULL;
    return makers[terms->spec.method](terms, learning, out);
}

/* ==== kept =================================================================================== */

/* What an estimator keeps, as bytes: f64 for numbers, u64 for counts, in the estimator's own order. */

/* Decoding writes through the entries; encoding only reads. */
static uint32_t kept_of(const sotto__estimator *estimator, sotto__kept kept[SOTTO__KEPT_MAX])
{
    if (estimator->kept == NULL) return 0;
    return estimator->kept((sotto__estimator *)estimator, kept);
}

size_t sotto__kept_bytes(const sotto__estimator *estimator)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    size_t bytes = 0;
    for (uint32_t e = 0; e < entries; e++) {
        bytes += 8 * kept[e].count;
    }
    return bytes;
}

void sotto__kept_put(const sotto__estimator *estimator, uint8_t *out)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        for (size_t i = 0; i < kept[e].count; i++, out += 8) {
            if (kept[e].number != NULL) sotto__put_f64(out, kept[e].number[i]);
            if (kept[e].reports != NULL) sotto__put_u64(out, kept[e].reports[i]);
        }
    }
}

void sotto__kept_get(sotto__estimator *estimator, const uint8_t *bytes)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        for (size_t i = 0; i < kept[e].count; i++, bytes += 8) {
            if (kept[e].number != NULL) kept[e].number[i] = sotto__get_f64(bytes);
            if (kept[e].reports != NULL) kept[e].reports[i] = sotto__get_u64(bytes);
        }
    }
}

static sotto_status number_fault(const sotto__kept *kept, uint32_t entry, sotto_fault *fault)
{
    for (size_t i = 0; i < kept->count; i++) {
        double x = kept->number[i];
        if (x >= kept->least && x <= kept->most) continue; /* NaN is not */
        return sotto__refuse(fault,
                             "number %zu of part %" PRIu32 " of the estimator = %.15g: allowed "
                             "%.15g to %.15g",
                             i, entry, x, kept->least, kept->most);
    }
    return SOTTO_OK;
}

static sotto_status kept_count_fault(const sotto__kept *kept, uint32_t entry, uint64_t reports,
                                     sotto_fault *fault)
{
    uint64_t left = reports;
    for (size_t i = 0; i < kept->count; i++) {
        if (kept->reports[i] > left) {
            return sotto__refuse(fault,
                                 "count %zu of part %" PRIu32 " of the estimator = %" PRIu64
                                 ": allowed 0 to %" PRIu64,
                                 i, entry, kept->reports[i], left);
        }
        left -= kept->reports[i];
    }
    return SOTTO_OK;
}

sotto_status sotto__kept_fault(const sotto__estimator *estimator, uint64_t reports,
                               sotto_fault *fault)
{
    sotto__kept kept[SOTTO__KEPT_MAX];
    uint32_t entries = kept_of(estimator, kept);
    for (uint32_t e = 0; e < entries; e++) {
        sotto_status status = kept[e].number != NULL
                                  ? number_fault(&kept[e], e, fault)
                                  : kept_count_fault(&kept[e], e, reports, fault);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* ==== learning =============================================================================== */

/* How the server learns: defaults, what is wrong with given settings, and the length of warm-up. */

const char *sotto_step_name(sotto_step value)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO_STEP_MAP(NAME)};
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

/* What arms need in addition in few dimensions: there one arm often hides behind another, and no
 * report of the main phase is about it. d <= 3 and K >= 5: 10 K log10(T/10^4), if that is above 0. */
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

static sotto_status learning_count_fault(const char *name, uint64_t value, uint64_t hi,
                                         sotto_fault *fault)
{
    if (value <= hi) return SOTTO_OK;
    return sotto__fault_at(fault, name, "%" PRIu64 ": allowed 0 to %" PRIu64, value, hi);
}

static sotto_status prior_fault(const sotto_spec *spec, double prior, sotto_fault *fault)
{
    if (!sotto__for_real_data(spec)) {
        if (prior == 0) return SOTTO_OK;
        return sotto__fault_at(fault, "prior_variance",
                               "%.15g: must be 0, only method sotto with "
                               "score self and per-arm parameters has one",
                               prior);
    }
    if (prior >= 1e-12 && prior <= 1e12) return SOTTO_OK;
    return sotto__fault_at(fault, "prior_variance", "%.15g: allowed 1e-12 to 1e12", prior);
}

/* Written as owners count arms. */
static sotto_status fallback_fault(const sotto_spec *spec, uint32_t fallback, sotto_fault *fault)
{
    bool random = fallback == SOTTO_FALLBACK_RANDOM;
    char value[16] = "random";
    if (fallback == 0 || (spec->measure > 0 && (random || fallback <= spec->arms))) return SOTTO_OK;
    if (!random) snprintf(value, sizeof value, "%" PRIu32, fallback - 1);
    if (spec->measure == 0) {
        return sotto__fault_at(fault, "fallback",
                               "%s: allowed only none while measure is 0, because only "
                               "measure rounds can show harm",
                               value);
    }
    return sotto__fault_at(fault, "fallback", "%s: allowed arms 0 to %" PRIu32 ", random, none",
                           value, spec->arms - 1);
}

sotto_status sotto_learning_fault(const sotto_terms *terms, const sotto_learning *learning,
                                  sotto_fault *fault)
{
    if (terms == NULL || learning == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    bool warms_up = sotto__phase_exists(&terms->spec, SOTTO_PHASE_WARM_UP);
    sotto_status status =
        learning_count_fault("horizon", learning->horizon, SOTTO_HORIZON_MAX, fault);
    if (status == SOTTO_OK) {
        status = learning_count_fault("warm_up", learning->warm_up,
                                      warms_up ? SOTTO_HORIZON_MAX : 0, fault);
    }
    if (status == SOTTO_OK && learning->mean_phase > 0 &&
        !sotto__phase_exists(&terms->spec, SOTTO_PHASE_MEAN)) {
        return sotto__fault_at(fault, "mean_phase",
                               "%" PRIu64 ": must be 0, only method sotto with "
                               "score self and per-arm parameters has that phase",
                               learning->mean_phase);
    }
    if (status == SOTTO_OK) {
        status = learning_count_fault("mean_phase", learning->mean_phase, SOTTO_HORIZON_MAX, fault);
    }
    if (status == SOTTO_OK) status = prior_fault(&terms->spec, learning->prior_variance, fault);
    if (status == SOTTO_OK)
        status = learning_count_fault("epoch", learning->epoch, SOTTO_REPORTS_MAX, fault);
    if (status == SOTTO_OK) status = fallback_fault(&terms->spec, learning->fallback, fault);
    if (status != SOTTO_OK) return status;
    if (!(learning->alpha > 0 && learning->alpha < 1)) {
        return sotto__fault_at(fault, "alpha", "%.15g: allowed above 0, below 1", learning->alpha);
    }
    if (sotto_step_name(learning->step) == NULL) {
        return sotto__fault_at(fault, "step", "%u: allowed 1/t, 1/sqrt", (unsigned)learning->step);
    }
    if (!(learning->eta0 > 0 && learning->eta0 <= 1e6)) {
        return sotto__fault_at(fault, "eta0", "%.15g: allowed above 0, to 1e6", learning->eta0);
    }
    if (!(learning->shift_scale >= 0 && learning->shift_scale <= 1e3)) {
        return sotto__fault_at(fault, "shift_scale", "%.15g: allowed 0 to 1000",
                               learning->shift_scale);
    }
    if (!(learning->elimination_scale >= 0)) {
        return sotto__fault_at(fault, "elimination_scale", "%.15g: allowed 0 to infinity",
                               learning->elimination_scale);
    }
    return SOTTO_OK;
}
