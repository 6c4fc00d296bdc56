/*
 * Epoch sizes.
 *
 * All reports of an epoch are scored under one model, and their sum makes one step. The sign
 * iteration is stable while n eta L/B < 2, with steps eta ~ 1/sqrt t; so with t reports so far
 *
 *     n = max(1, floor(min(0.2 t, 0.25 B sqrt t))),
 *
 * and min(0.05 t, 0.1 B sqrt t) where reports may be up to 2 epochs late, L/2 times smaller for
 * L > 2, so that no more is on its way. Plain geometric growth, n = 0.2 t alone, passes that bound in
 * the end, as a fixed size may (estimator_averaged.c then shortens its steps); least squares, which
 * makes no steps, may grow that way. Under drift min(t, W) stands for t, as in the steps.
 */
#include "schedule.h"
#include "core/method.h"
#include "core/spec_fields.h"
#include "estimator.h"

#include <math.h>

/* B: how much longer than the unit score a report is. The steps of ldp-gloc are not scaled by it,
 * and least squares has none; but confidence bounds send all people of an epoch to the arm that is
 * known least, so that long epochs explore by turns and never choose: 1 for both. */
static double report_length(const sotto_terms *terms)
{
    const sotto__method *method = sotto__method_of(&terms->spec);
    if (method->confidence) return 1;
    if (method->lattice || method->lifted) return INFINITY;
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    return terms->codebook[shared ? SOTTO_PHASE_MAIN : SOTTO_PHASE_WARM_UP].scale;
}

static double by_rule(const sotto_terms *terms, double t)
{
    double lag = terms->spec.epoch_lag_max;
    double growth = 0.2, stable = 0.25;
    if (t == 0) return 1;
    if (lag > 0) {
        growth = 0.05 * 2 / fmax(2, lag);
        stable = 0.1 * 2 / fmax(2, lag);
    }
    return floor(fmin(growth * t, stable * report_length(terms) * sqrt(t)));
}

uint64_t sotto__epoch_reports(const sotto_terms *terms, const sotto_learning *learning, uint64_t t,
                              uint64_t phase_end)
{
    const sotto_spec *spec = &terms->spec;
    double remembered = sotto__remembered(spec, (double)t);
    double wanted = learning->epoch > 0 ? (double)learning->epoch : by_rule(terms, remembered);
    wanted = fmax(1, fmin(wanted, (double)spec->epoch_reports_max));
    /* An epoch never spans two phases. */
    if (t < phase_end) wanted = fmin(wanted, (double)(phase_end - t));
    return (uint64_t)wanted;
}

uint32_t sotto__epoch_seconds_min(const sotto_spec *spec)
{
    uint64_t lag = spec->epoch_lag_max > 0 ? spec->epoch_lag_max : 1;
    uint64_t wait = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    uint64_t seconds = (wait + lag - 1) / lag;
    if (seconds > SOTTO__YEAR_S) seconds = SOTTO__YEAR_S;
    return seconds > 0 ? (uint32_t)seconds : 1;
}
