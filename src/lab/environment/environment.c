#include "environment.h"
#include "core/core.h"
#include "inner.h"

#include <sotto/lab/environments.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The table of environments, and the matches that they accept. */

const sotto__environment *sotto__environment_of(sotto_environment_kind kind)
{
    static const sotto__environment *const environments[] = {
        [SOTTO_ENVIRONMENT_SPHERE] = &sotto__environment_sphere,
        [SOTTO_ENVIRONMENT_BALL] = &sotto__environment_ball,
        [SOTTO_ENVIRONMENT_GAUSSIAN] = &sotto__environment_gaussian,
        [SOTTO_ENVIRONMENT_ANISOTROPIC] = &sotto__environment_anisotropic,
        [SOTTO_ENVIRONMENT_MARGIN] = &sotto__environment_margin,
        [SOTTO_ENVIRONMENT_DRIFT] = &sotto__environment_drift,
        [SOTTO_ENVIRONMENT_PUBLISHED] = &sotto__environment_published,
        [SOTTO_ENVIRONMENT_LOAN] = &sotto__environment_loan,
    };
    return environments[kind];
}

static const sotto__environment *row_of(const sotto_environment *environment)
{
    if (environment->custom != NULL) return &sotto__environment_custom;
    return sotto__environment_of(environment->kind);
}

static sotto_status size_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    if (spec->dim < 1 || spec->dim > SOTTO_DIM_MAX) {
        return sotto__fault_at(fault, "dim", "%u: allowed 1 to %u", spec->dim, SOTTO_DIM_MAX);
    }
    if (spec->arms < 2 || spec->arms > SOTTO_ARMS_MAX) {
        return sotto__fault_at(fault, "arms", "%u: allowed 2 to %u", spec->arms, SOTTO_ARMS_MAX);
    }
    if (spec->dim * spec->arms > SOTTO_CELLS_MAX) {
        return sotto__fault_at(fault, "arms", "%u: `dim` x `arms` is at most %u, and `dim` = %u",
                               spec->arms, SOTTO_CELLS_MAX, spec->dim);
    }
    if (match->horizon < 1 || match->horizon > SOTTO_HORIZON_MAX) {
        return sotto__fault_at(fault, "horizon", "%" PRIu64 ": allowed 1 to %" PRIu64,
                               match->horizon, SOTTO_HORIZON_MAX);
    }
    return SOTTO_OK;
}

static sotto_status kind_fault(const sotto_match *match, sotto_fault *fault)
{
#define KIND_FAULT(field, value, type)                                                             \
    if (type##_name(value) == NULL) {                                                              \
        return sotto__fault_at(fault, field, "%u: not one of the known kinds (%s, ...)",           \
                               (unsigned)(value), type##_name(0));                                 \
    }
    KIND_FAULT("environment", match->environment.kind, sotto_environment_kind)
    KIND_FAULT("law", match->environment.law, sotto_reward_law)
    KIND_FAULT("link", match->spec.link, sotto_link)
    KIND_FAULT("parameters", match->spec.parameters, sotto_parameters)
    const sotto__environment *row = row_of(&match->environment);
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (per_arm ? !row->per_arm : !row->shared) {
        return sotto__fault_at(fault, "parameters",
                               "%s: environment %s has %s parameters only; "
                               "sphere has both",
                               sotto_parameters_name(match->spec.parameters),
                               sotto_environment_kind_name(match->environment.kind),
                               sotto_parameters_name(!match->spec.parameters));
    }
    return SOTTO_OK;
}

/* Checks that the law of rewards can have the means of the match. */
static sotto_status law_fault(const sotto_match *match, sotto_fault *fault)
{
    sotto_link link = match->spec.link;
    sotto_reward_law law = match->environment.law;
    if (law == SOTTO_LAW_BERNOULLI && link == SOTTO_LINK_LOG) {
        return sotto__fault_at(fault, "reward_kind",
                               "binary: such rewards need link logit, probit or identity");
    }
    if (law == SOTTO_LAW_POISSON && link != SOTTO_LINK_LOG) {
        return sotto__fault_at(fault, "reward_kind",
                               "count: a mean that is positive needs link log");
    }
    return SOTTO_OK;
}

static sotto_status number_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_environment *e = &match->environment;
    if (!(e->noise >= 0 && e->noise <= 1e6)) {
        return sotto__fault_at(fault, "noise", "%.15g: allowed 0 to 1000000", e->noise);
    }
    if (!(e->theta_norm > 0 && e->theta_norm <= match->spec.theta_norm_max)) {
        return sotto__fault_at(fault, "theta_norm",
                               "%.15g: above 0, at most `theta_norm_max` = %.15g", e->theta_norm,
                               match->spec.theta_norm_max);
    }
    return SOTTO_OK;
}

sotto_status sotto__environment_fault(const sotto_match *match, sotto_fault *fault)
{
    sotto_status status = size_fault(match, fault);
    if (status == SOTTO_OK && match->environment.custom != NULL) {
        status = sotto__custom_environment_fault(match->environment.custom, fault);
    }
    if (status == SOTTO_OK) status = kind_fault(match, fault);
    if (status == SOTTO_OK) status = law_fault(match, fault);
    if (status == SOTTO_OK) status = number_fault(match, fault);
    if (status != SOTTO_OK) return status;
    const sotto__environment *row = row_of(&match->environment);
    return row->fault == NULL ? SOTTO_OK : row->fault(match, fault);
}

sotto_status sotto__world_new(const sotto_match *match, uint64_t seed, sotto__world **out)
{
    *out = NULL;
    if (sotto__environment_fault(match, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    return sotto__world_begin(row_of(&match->environment), match, seed, out);
}
