/* The device's own limits. */
#include "core/core.h"

#include <sotto/client.h>

#include <math.h>

sotto_policy sotto_policy_default(void)
{
    return (sotto_policy){
        .epsilon_per_report_max = 2,
        .epsilon_lifetime = 8,
        .delta_max = 1e-6,
        .delta_lifetime = 1e-5,
        .methods_allowed = UINT32_MAX,
        .dim_max = SOTTO_DIM_MAX,
        .arms_max = SOTTO_ARMS_MAX,
        .measure_share_max = 0.1,
    };
}

static sotto_status real_fault(sotto_fault *fault, const char *field, double value,
                               const char *allowed)
{
    return sotto__fault_at(fault, field, "%.15g: allowed %s", value, allowed);
}

static sotto_status whole_fault(sotto_fault *fault, const char *field, uint32_t value, uint32_t lo,
                                uint32_t hi)
{
    return sotto__fault_at(fault, field, "%u: allowed %u to %u", value, lo, hi);
}

static sotto_status policy_fault(const sotto_policy *policy, sotto_fault *fault)
{
    double per_report = policy->epsilon_per_report_max;
    if (!(per_report > 0 && per_report <= 50)) {
        return real_fault(fault, "epsilon_per_report_max", per_report, "above 0 to 50");
    }
    if (!(policy->epsilon_lifetime > 0)) {
        return real_fault(fault, "epsilon_lifetime", policy->epsilon_lifetime, "above 0");
    }
    if (!(policy->delta_max >= 0 && policy->delta_max <= 0.5)) {
        return real_fault(fault, "delta_max", policy->delta_max, "0 to 0.5");
    }
    if (!(policy->delta_lifetime >= 0 && policy->delta_lifetime <= 0.5)) {
        return real_fault(fault, "delta_lifetime", policy->delta_lifetime, "0 to 0.5");
    }
    if (policy->dim_max < 1 || policy->dim_max > SOTTO_DIM_MAX) {
        return whole_fault(fault, "dim_max", policy->dim_max, 1, SOTTO_DIM_MAX);
    }
    if (policy->arms_max < 2 || policy->arms_max > SOTTO_ARMS_MAX) {
        return whole_fault(fault, "arms_max", policy->arms_max, 2, SOTTO_ARMS_MAX);
    }
    if (!(policy->measure_share_max >= 0 && policy->measure_share_max <= 0.5)) {
        return real_fault(fault, "measure_share_max", policy->measure_share_max, "0 to 0.5");
    }
    return SOTTO_OK;
}

sotto_status sotto_policy_fault(const sotto_policy *policy, sotto_fault *fault)
{
    SOTTO__DEFAULT_FLOATS;
    if (policy == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    return SOTTO__UNSEEN(policy_fault)(policy, fault);
}

static sotto_status policy_refusal(const sotto_policy *policy, const sotto_spec *spec,
                                   sotto_fault *fault)
{
    if (!(spec->epsilon <= policy->epsilon_per_report_max)) {
        return sotto__fault_at(fault, "epsilon", "%.15g: this device allows at most %.15g",
                               spec->epsilon, policy->epsilon_per_report_max);
    }
    if (!(spec->delta <= policy->delta_max)) {
        return sotto__fault_at(fault, "delta", "%.15g: this device allows at most %.15g",
                               spec->delta, policy->delta_max);
    }
    if ((uint32_t)spec->method >= 32 || (policy->methods_allowed >> spec->method & 1) == 0) {
        const char *name = sotto_method_name(spec->method);
        return sotto__fault_at(fault, "method", "%s: not allowed on this device",
                               name == NULL ? "unknown" : name);
    }
    if (spec->dim > policy->dim_max) {
        return whole_fault(fault, "dim", spec->dim, 1, policy->dim_max);
    }
    if (spec->arms > policy->arms_max) {
        return whole_fault(fault, "arms", spec->arms, 2, policy->arms_max);
    }
    /* The share of a spec is rounded to 2^-32. */
    if (spec->measure > rint(policy->measure_share_max * 0x1p32)) {
        return sotto__fault_at(fault, "measure", "%.12g: this device allows at most %.12g",
                               spec->measure * 0x1p-32, policy->measure_share_max);
    }
    return SOTTO_OK;
}

sotto_status sotto_policy_refusal(const sotto_policy *policy, const sotto_spec *spec,
                                  sotto_fault *fault)
{
    SOTTO__DEFAULT_FLOATS;
    if (policy == NULL || spec == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status status = SOTTO__UNSEEN(policy_refusal)(policy, spec, fault);
    return status == SOTTO_OK ? SOTTO_OK : SOTTO_E_POLICY;
}
