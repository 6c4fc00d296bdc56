/* What the owner of an experiment writes: its defaults, and what is wrong with it. */
#include "calibrate_lattice.h"
#include "fault.h"
#include "float_environment.h"
#include "method.h"
#include "spec_fields.h"

#include <inttypes.h>
#include <stdio.h>

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
static const char *field_fault(const sotto_spec *spec, char *text)
{
#define WHOLE_FAULT(field, lo, hi)                                                                 \
    if ((int64_t)spec->field < (int64_t)(lo) || spec->field > (hi)) {                              \
        return sotto__fault(text, "%s = %" PRIu64 ": allowed %" PRIu64 " to %" PRIu64, #field,     \
                            (uint64_t)spec->field, (uint64_t)(lo), (uint64_t)(hi));                \
    }
#define REAL_FAULT(field, lo, hi)                                                                  \
    if (!(spec->field >= (lo) && spec->field <= (hi))) {                                           \
        return sotto__fault(text, "%s = %.15g: allowed %.15g to %.15g", #field, spec->field,       \
                            (double)(lo), (double)(hi));                                           \
    }
#define KIND_FAULT(field, type)                                                                    \
    if (type##_name(spec->field) == NULL) {                                                        \
        return sotto__fault(text, "%s = %u: not one of the known kinds (%s, ...)", #field,         \
                            (unsigned)spec->field, type##_name((type)0));                          \
    }
#define FLAG_ANY(field)
    SOTTO__SPEC_FIELDS(WHOLE_FAULT, WHOLE_FAULT, REAL_FAULT, KIND_FAULT, FLAG_ANY)
    WHOLE_FAULT(version, 1, 2)
    SOTTO__SPEC_FIELDS_2(WHOLE_FAULT, REAL_FAULT)
    return NULL;
}

/* What only terms of version 2 can say. */
static const char *version_fault(const sotto_spec *spec, char *text)
{
    if (spec->version == 2) return NULL;
#define WHOLE_UNKNOWN(field, lo, hi)                                                               \
    if (spec->field != 0) {                                                                        \
        return sotto__fault(text, "%s = %u: must be 0, terms of version 1 do not have it", #field, \
                            spec->field);                                                          \
    }
#define REAL_UNKNOWN(field, lo, hi)                                                                \
    if (spec->field != 0) {                                                                        \
        return sotto__fault(text, "%s = %.15g: must be 0, terms of version 1 do not have it",      \
                            #field, spec->field);                                                  \
    }
    SOTTO__SPEC_FIELDS_2(WHOLE_UNKNOWN, REAL_UNKNOWN)
    if (spec->score == SOTTO_SCORE_CENTRED) {
        return sotto__fault(text, "score = centred: terms of version 1 do not have it");
    }
    if (sotto__method_of(spec)->one_for_all) {
        return sotto__fault(text, "method = %s: terms of version 1 do not have it",
                            sotto_method_name(spec->method));
    }
    return NULL;
}

static const char *measure_fault(const sotto_spec *spec, char *text)
{
    if (spec->measure == 0) return NULL;
    if (spec->measure < SOTTO__MEASURE_MIN) {
        return sotto__fault(text, "measure = %u: allowed 0, or %u to %u (0.001 to 0.5 of 2^32)",
                            spec->measure, SOTTO__MEASURE_MIN, SOTTO__MEASURE_MAX);
    }
    if (sotto__method_of(spec)->one_for_all) {
        return sotto__fault(text,
                            "measure = %u: must be 0, every round of method %s reports its reward"
                            " already",
                            spec->measure, sotto_method_name(spec->method));
    }
    if (sotto__method_of(spec)->lattice) {
        return sotto__fault(text,
                            "measure = %u: method %s adds lattice noise, and only codebook"
                            " methods have measure rounds",
                            spec->measure, sotto_method_name(spec->method));
    }
    return NULL;
}

static const char *reward_fault(const sotto_spec *spec, char *text)
{
    if (!(spec->reward_hi - spec->reward_lo >= 1e-6)) {
        return sotto__fault(text,
                            "reward_lo = %.15g: must be at least 1e-6 below reward_hi = %.15g",
                            spec->reward_lo, spec->reward_hi);
    }
    if (spec->reward_default < spec->reward_lo || spec->reward_default > spec->reward_hi) {
        return sotto__fault(text,
                            "reward_default = %.15g: allowed %.15g to %.15g (the reward range)",
                            spec->reward_default, spec->reward_lo, spec->reward_hi);
    }
    if (spec->reward_kind == SOTTO_REWARD_BINARY &&
        (spec->reward_lo != 0 || spec->reward_hi != 1)) {
        return sotto__fault(text,
                            "reward_lo, reward_hi = %.15g, %.15g: a binary reward has range 0, 1",
                            spec->reward_lo, spec->reward_hi);
    }
    if (spec->reward_kind == SOTTO_REWARD_COUNT && spec->reward_lo < 0) {
        return sotto__fault(text, "reward_lo = %.15g: a count is at least 0", spec->reward_lo);
    }
    return NULL;
}

/* A score that the method does not report, and those that it does. */
static const char *score_fault(const sotto_spec *spec, char *text)
{
    const char *between = "";
    char allowed[80] = "";
    size_t used = 0;
    uint32_t scores = sotto__method_of(spec)->scores;
    for (uint32_t s = 0; sotto_score_name((sotto_score)s) != NULL; s++) {
        if ((scores >> s & 1) == 0) continue;
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", between,
                                 sotto_score_name((sotto_score)s));
        between = ", ";
    }
    return sotto__fault(text, "score = %s: method %s allows %s", sotto_score_name(spec->score),
                        sotto_method_name(spec->method), allowed);
}

static const char *method_fault(const sotto_spec *spec, char *text)
{
    const sotto__method *method = sotto__method_of(spec);
    const char *name = sotto_method_name(spec->method);
    const char *score = sotto_score_name(spec->score);
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;

    if ((method->scores >> spec->score & 1) == 0) {
        return score_fault(spec, text);
    }
    if (method->identity_only && spec->link != SOTTO_LINK_IDENTITY) {
        return sotto__fault(text, "link = %s: method %s needs the identity link",
                            sotto_link_name(spec->link), name);
    }
    if (method->shared_only && !shared) {
        return sotto__fault(text, "parameters = per-arm: method %s has shared parameters only",
                            name);
    }
    if (spec->score == SOTTO_SCORE_SIGN || spec->score == SOTTO_SCORE_HUBER) {
        if (spec->reward_kind != SOTTO_REWARD_CONTINUOUS) {
            return sotto__fault(text, "score = %s: wrong for %s rewards, use self", score,
                                sotto_reward_kind_name(spec->reward_kind));
        }
        if (spec->link != SOTTO_LINK_IDENTITY) {
            return sotto__fault(text, "link = %s: score %s needs the identity link",
                                sotto_link_name(spec->link), score);
        }
    }
    if (spec->score == SOTTO_SCORE_CENTRED &&
        (spec->reward_kind != SOTTO_REWARD_COUNT || spec->link != SOTTO_LINK_LOG)) {
        return sotto__fault(text, "score = centred: for count rewards under the log link only");
    }
    if (spec->split == SOTTO_SPLIT_PER_ARM && (shared || !method->l2ball)) {
        return sotto__fault(text, "split = per-arm: only ldp-sgd with per-arm parameters splits");
    }
    if (spec->noise_law == SOTTO_NOISE_LAPLACE && !method->lattice) {
        return sotto__fault(text, "noise_law = laplace: method %s adds no lattice noise", name);
    }
    return NULL;
}

static const char *size_fault(const sotto_spec *spec, char *text)
{
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    if ((uint64_t)spec->dim * spec->arms > SOTTO_CELLS_MAX) {
        return sotto__fault(text, "arms = %u: dim x arms is at most %u, and dim = %u", spec->arms,
                            SOTTO_CELLS_MAX, spec->dim);
    }
    if (!sotto__method_of(spec)->lattice) {
        if (sotto__statistic_dim(spec) <= SOTTO_CELLS_MAX) return NULL;
        return sotto__fault(text, "dim = %u: moments have at most %u coordinates", spec->dim,
                            SOTTO_CELLS_MAX);
    }
    uint64_t ticks = (uint64_t)sotto__statistic_dim(spec) * (per_arm ? spec->arms : 1);
    if (ticks > SOTTO_TICKS_MAX) {
        return sotto__fault(text, "dim = %u: a report would have %" PRIu64 " ticks, at most %u",
                            spec->dim, ticks, SOTTO_TICKS_MAX);
    }
    return NULL;
}

static const char *privacy_fault(const sotto_spec *spec, char *text)
{
    bool lattice = sotto__method_of(spec)->lattice;
    bool laplace = spec->noise_law == SOTTO_NOISE_LAPLACE;
    if ((!lattice || laplace) && spec->delta != 0) {
        return sotto__fault(
            text, "delta = %.15g: must be 0, this release is purely epsilon-private", spec->delta);
    }
    if (!lattice) return NULL;
    return sotto__lattice_promise_fault(spec->noise_law, sotto__statistic_dim(spec), spec->epsilon,
                                        spec->delta, spec->allow_weak_delta, text);
}

static const char *spec_fault(const sotto_spec *spec, char text[SOTTO_FAULT_BYTES])
{
    const char *found = field_fault(spec, text);
    if (found == NULL) found = version_fault(spec, text);
    if (found == NULL) found = reward_fault(spec, text);
    if (found == NULL) found = method_fault(spec, text);
    if (found == NULL) found = measure_fault(spec, text);
    if (found == NULL) found = size_fault(spec, text);
    if (found == NULL) found = privacy_fault(spec, text);
    return found;
}

const char *sotto_spec_fault(const sotto_spec *spec, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (spec == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    return SOTTO__UNSEEN(spec_fault)(spec, text);
}
