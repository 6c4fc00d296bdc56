/* What the owner of an experiment writes: its defaults, and what is wrong with it. */
#include "core.h"

#include <inttypes.h>

static sotto_score default_score(sotto_reward_kind kind)
{
    switch (kind) {
    case SOTTO_REWARD_CONTINUOUS: return SOTTO_SCORE_SIGN;
    case SOTTO_REWARD_BINARY: return SOTTO_SCORE_SELF;
    case SOTTO_REWARD_COUNT: return SOTTO_SCORE_CENTRED;
    }
    return SOTTO_SCORE_SELF;
}

sotto_spec sotto_spec_default(sotto_reward_kind kind)
{
    sotto_spec spec = {
        .dim = 10,
        .arms = 10,
        .parameters = SOTTO_PARAMETERS_SHARED,
        .link = SOTTO_LINK_IDENTITY,
        .reward_kind = kind,
        .method = SOTTO_METHOD_SOTTO,
        .score = default_score(kind),
        .split = SOTTO_SPLIT_JOINT,
        .noise_law = SOTTO_NOISE_GAUSSIAN,
        .allow_weak_delta = false,
        .reward_lo = kind == SOTTO_REWARD_CONTINUOUS ? -1 : 0,
        .reward_hi = kind == SOTTO_REWARD_COUNT ? 10 : 1,
        .reward_default = 0,
        .context_norm_max = 1,
        .theta_norm_max = 1,
        .epsilon = 1,
        .delta = 0,
        .huber_tau = 0.5,
        .epoch_reports_max = 1000000,
        .window_reports = 0,
        .epoch_lag_max = 0,
        .version = 2,
    };
    if (kind == SOTTO_REWARD_BINARY) spec.link = SOTTO_LINK_LOGIT;
    if (kind == SOTTO_REWARD_COUNT) spec.link = SOTTO_LINK_LOG;
    return spec;
}

/* Each field within its own range. NaN is in no range. */
static sotto_status field_fault(const sotto_spec *spec, sotto_fault *fault)
{
#define WHOLE_FAULT(field, lo, hi)                                                                 \
    if ((int64_t)spec->field < (int64_t)(lo) || spec->field > (hi)) {                              \
        return sotto__fault_at(fault, #field, "%" PRIu64 ": allowed %" PRIu64 " to %" PRIu64,      \
                               (uint64_t)spec->field, (uint64_t)(lo), (uint64_t)(hi));             \
    }
#define REAL_FAULT(field, lo, hi)                                                                  \
    if (!(spec->field >= (lo) && spec->field <= (hi))) {                                           \
        return sotto__fault_at(fault, #field, "%.15g: allowed %.15g to %.15g", spec->field,        \
                               (double)(lo), (double)(hi));                                        \
    }
#define KIND_FAULT(field, type)                                                                    \
    if (type##_name(spec->field) == NULL) {                                                        \
        return sotto__fault_at(fault, #field, "%u: not one of the known kinds (%s, ...)",          \
                               (unsigned)spec->field, type##_name((type)0));                       \
    }
#define FLAG_ANY(field)
    SOTTO__SPEC_FIELDS(WHOLE_FAULT, WHOLE_FAULT, REAL_FAULT, KIND_FAULT, FLAG_ANY)
    if (spec->version == 2) return SOTTO_OK;
    return sotto__fault_at(fault, "version", "%u: this library supports only terms of version 2",
                           spec->version);
}

static sotto_status measure_fault(const sotto_spec *spec, sotto_fault *fault)
{
    if (spec->measure == 0) return SOTTO_OK;
    double share = spec->measure * 0x1p-32;
    if (spec->measure < SOTTO__MEASURE_MIN) {
        return sotto__fault_at(fault, "measure", "%.9g: allowed 0, or 0.001 to 0.5 (of 2^32)",
                               share);
    }
    if (sotto__method_of(spec)->one_for_all) {
        return sotto__fault_at(fault, "measure",
                               "%.9g: allowed 0 (every round of method %s reports its reward)",
                               share, sotto_method_name(spec->method));
    }
    if (sotto__method_of(spec)->lattice) {
        return sotto__fault_at(fault, "measure",
                               "%.9g: allowed 0 (method %s adds lattice noise, and only"
                               " codebook methods have measure rounds)",
                               share, sotto_method_name(spec->method));
    }
    return SOTTO_OK;
}

static sotto_status reward_fault(const sotto_spec *spec, sotto_fault *fault)
{
    if (!(spec->reward_hi - spec->reward_lo >= 1e-6)) {
        return sotto__fault_at(fault, "reward_lo, reward_hi",
                               "%.15g, %.15g: the first must be at least 1e-6 below the second",
                               spec->reward_lo, spec->reward_hi);
    }
    if (spec->reward_default < spec->reward_lo || spec->reward_default > spec->reward_hi) {
        return sotto__fault_at(fault, "reward_default",
                               "%.15g: allowed %.15g to %.15g (the reward range)",
                               spec->reward_default, spec->reward_lo, spec->reward_hi);
    }
    if (spec->reward_kind == SOTTO_REWARD_BINARY &&
        (spec->reward_lo != 0 || spec->reward_hi != 1)) {
        return sotto__fault_at(fault, "reward_lo, reward_hi",
                               "%.15g, %.15g: allowed 0, 1 for binary rewards", spec->reward_lo,
                               spec->reward_hi);
    }
    if (spec->reward_kind == SOTTO_REWARD_COUNT && spec->reward_lo < 0) {
        return sotto__fault_at(fault, "reward_lo", "%.15g: allowed at least 0 for counts",
                               spec->reward_lo);
    }
    return SOTTO_OK;
}

/* A score that the method does not report, and those that it does. */
static sotto_status score_fault(const sotto_spec *spec, sotto_fault *fault)
{
    const char *between = "";
    char allowed[80] = "";
    size_t used = 0;
    uint32_t scores = sotto__method_of(spec)->scores;
    for (uint32_t s = 0; sotto_score_name((sotto_score)s) != NULL; s++) {
        if ((scores >> s & 1) == 0) continue;
        used += sotto__format(allowed + used, sizeof allowed - used, "%s%s", between,
                              sotto_score_name((sotto_score)s));
        between = ", ";
    }
    return sotto__fault_at(fault, "score", "%s: method %s allows %s", sotto_score_name(spec->score),
                           sotto_method_name(spec->method), allowed);
}

static sotto_status method_fault(const sotto_spec *spec, sotto_fault *fault)
{
    const sotto__method *method = sotto__method_of(spec);
    const char *name = sotto_method_name(spec->method);
    const char *score = sotto_score_name(spec->score);
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;

    if ((method->scores >> spec->score & 1) == 0) {
        return score_fault(spec, fault);
    }
    if (method->identity_only && spec->link != SOTTO_LINK_IDENTITY) {
        return sotto__fault_at(fault, "link", "%s: method %s needs the identity link",
                               sotto_link_name(spec->link), name);
    }
    if (method->shared_only && !shared) {
        return sotto__fault_at(fault, "parameters", "per-arm: method %s has shared parameters only",
                               name);
    }
    if (spec->score == SOTTO_SCORE_SIGN || spec->score == SOTTO_SCORE_HUBER) {
        if (spec->reward_kind != SOTTO_REWARD_CONTINUOUS) {
            return sotto__fault_at(fault, "score", "%s: not for %s rewards; use self", score,
                                   sotto_reward_kind_name(spec->reward_kind));
        }
        if (spec->link != SOTTO_LINK_IDENTITY) {
            return sotto__fault_at(fault, "link", "%s: score %s needs the identity link",
                                   sotto_link_name(spec->link), score);
        }
    }
    if (spec->score == SOTTO_SCORE_CENTRED &&
        (spec->reward_kind != SOTTO_REWARD_COUNT || spec->link != SOTTO_LINK_LOG)) {
        return sotto__fault_at(fault, "score",
                               "centred: for count rewards under the log link only");
    }
    if (spec->split == SOTTO_SPLIT_PER_ARM && (shared || !method->l2ball)) {
        return sotto__fault_at(fault, "split",
                               "per-arm: only ldp-sgd with per-arm parameters splits");
    }
    if (spec->noise_law == SOTTO_NOISE_LAPLACE && !method->lattice) {
        return sotto__fault_at(fault, "noise_law", "laplace: method %s adds no lattice noise",
                               name);
    }
    return SOTTO_OK;
}

static sotto_status size_fault(const sotto_spec *spec, sotto_fault *fault)
{
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    if ((uint64_t)spec->dim * spec->arms > SOTTO_CELLS_MAX) {
        return sotto__fault_at(fault, "arms", "%u: `dim` x `arms` is at most %u, and `dim` = %u",
                               spec->arms, SOTTO_CELLS_MAX, spec->dim);
    }
    if (!sotto__method_of(spec)->lattice) {
        if (sotto__statistic_dim(spec) <= SOTTO_CELLS_MAX) return SOTTO_OK;
        return sotto__fault_at(fault, "dim", "%u: moments have at most %u coordinates", spec->dim,
                               SOTTO_CELLS_MAX);
    }
    uint64_t ticks = (uint64_t)sotto__statistic_dim(spec) * (per_arm ? spec->arms : 1);
    if (ticks > SOTTO_TICKS_MAX) {
        return sotto__fault_at(fault, "dim",
                               "%u: a report would have %" PRIu64 " ticks, at most %u", spec->dim,
                               ticks, SOTTO_TICKS_MAX);
    }
    return SOTTO_OK;
}

static sotto_status privacy_fault(const sotto_spec *spec, sotto_fault *fault)
{
    bool lattice = sotto__method_of(spec)->lattice;
    bool laplace = spec->noise_law == SOTTO_NOISE_LAPLACE;
    if ((!lattice || laplace) && spec->delta != 0) {
        return sotto__fault_at(fault, "delta",
                               "%.15g: must be 0, this release is purely epsilon-private",
                               spec->delta);
    }
    if (!lattice) return SOTTO_OK;
    return sotto__lattice_promise_fault(spec->noise_law, sotto__statistic_dim(spec), spec->epsilon,
                                        spec->delta, spec->allow_weak_delta, fault);
}

sotto_status sotto_spec_fault(const sotto_spec *spec, sotto_fault *fault)
{
    if (spec == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status status = field_fault(spec, fault);
    if (status == SOTTO_OK) status = reward_fault(spec, fault);
    if (status == SOTTO_OK) status = method_fault(spec, fault);
    if (status == SOTTO_OK) status = measure_fault(spec, fault);
    if (status == SOTTO_OK) status = size_fault(spec, fault);
    if (status == SOTTO_OK) status = privacy_fault(spec, fault);
    return status;
}
