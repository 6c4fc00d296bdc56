#include "core/core.h"
#include "inner.h"
#include "server.h"

#include <math.h>

/* ==== schedule =============================================================================== */

/*
 * Epoch sizes.
 *
 * All reports of an epoch are scored under one model, and their sum makes one step. The sign
 * iteration is stable while n eta L/B < 2, with steps eta ~ 1/sqrt t; so with t reports so far
 *
 *     n = max(1, floor(min(0.2 t, 0.25 B sqrt t))),
 *
 * and min(0.05 t, 0.1 B sqrt t) where reports may be up to 2 epochs late, L/2 times smaller for
 * L > 2. So (L + 1) n, what is on its way, is at most 0.3 B sqrt t whatever L is, and the averaged
 * estimator, which allows 0.6 B sqrt t and more, never shortens a step; undivided it would be
 * 0.9 B sqrt t at L = 8. At d = 2 regret is the same without the division (research/epochs.md).
 * Plain geometric growth, n = 0.2 t alone, passes that bound in the end, as a fixed size may
 * (estimator_averaged.c then shortens its steps); least squares, which makes no steps, may grow that
 * way. Under drift min(t, W) stands for t, as in the steps.
 */

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

double sotto__remembered(const sotto_spec *spec, double t)
{
    if (spec->window_reports == 0) return t;
    return fmin(t, (double)spec->window_reports);
}

uint64_t sotto__served_reports(const sotto_terms *terms, uint64_t learn)
{
    double measured = floor((double)learn * terms->spec.measure * 0x1p-32);
    return measured < 1 ? 1 : (uint64_t)measured;
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

/* ==== step sum =============================================================================== */

/*
 * Sums of steps by the formula of Euler and Maclaurin, and the product of averaging weights.
 *
 *   sum of f(y) over y = a, a + 1, ..., b
 *     = int_a^b f + (f(a) + f(b))/2 + (f'(b) - f'(a))/12 - (f'''(b) - f'''(a))/720
 *       + (f'''''(b) - f'''''(a))/30240 - ...
 *
 * From a = 64 on the terms left out are below 1e-16 of the sum, so the first few readings are added
 * one by one. Times of another stride are those of stride 1 in other units.
 */

#define SERIES_FROM 64.0

static double step_of(sotto_step step, double s)
{
    return step == SOTTO_STEP_SQRT ? 1 / sqrt(s) : 1 / s;
}

/* f = 1/y: f' = -1/y^2, f''' = -6/y^4, f''''' = -120/y^6. */
static double inverse_edge(double y)
{
    double w = 1 / (y * y);
    return w * (-1.0 / 12 + w * (1.0 / 120 - w / 252));
}

/* f = y^(-1/2): f' = -(1/2) y^(-3/2), f''' = -(15/8) y^(-7/2), f''''' = -(945/32) y^(-11/2). */
static double sqrt_edge(double y)
{
    double w = 1 / (y * y);
    return (-1.0 / 24 + w * (1.0 / 384 - w / 1024)) / (y * sqrt(y));
}

/* The sum over y = a, a + 1, ..., a + count - 1, a >= SERIES_FROM, count >= 1. */
static double series(sotto_step step, double a, uint64_t count)
{
    double length = (double)(count - 1), b = a + length;
    double ends = (step_of(step, a) + step_of(step, b)) / 2;
    if (step == SOTTO_STEP_SQRT) {
        return 2 * length / (sqrt(a) + sqrt(b)) + ends + (sqrt_edge(b) - sqrt_edge(a));
    }
    return sotto__log1p(length / a) + ends + (inverse_edge(b) - inverse_edge(a));
}

/* The sum over y = a, a + 1, ..., count of them, a > 0. */
static double unit_sum(sotto_step step, double a, uint64_t count)
{
    double sum = 0;
    for (; count > 0 && a < SERIES_FROM; a++, count--) {
        sum += step_of(step, a);
    }
    return count > 0 ? sum + series(step, a, count) : sum;
}

/* How many of count times are below x, where the first is at 0. */
static uint64_t times_below(double x, uint64_t count)
{
    if (!(x > 0)) return 0;
    return x < (double)count ? (uint64_t)ceil(x) : count;
}

double sotto__step_sum(sotto_step step, const sotto__step_times *times)
{
    double first = times->first, stride = times->stride;
    uint64_t early = times_below((times->lo - first) / stride, times->count);
    uint64_t until = times_below((times->hi - first) / stride, times->count);
    uint64_t within = until > early ? until - early : 0;
    uint64_t late = times->count - early - within;
    double sum = 0;
    if (early > 0) sum += (double)early * step_of(step, times->lo);
    if (late > 0) sum += (double)late * step_of(step, times->hi);
    if (within == 0) return sum;
    double unit = step_of(step, stride);
    return sum + unit * unit_sum(step, first / stride + (double)early, within);
}

/* With a = before, b = before + count, 1 - 4/(t + 3) = (t - 1)/(t + 3), and all but four factors
 * of numerator and denominator cancel:
 *
 *   a (a + 1) (a + 2) (a + 3)/(b (b + 1) (b + 2) (b + 3)) */
double sotto__average_kept(uint64_t before, uint64_t count, uint64_t window)
{
    double a = (double)before, b = a + (double)count, w = (double)window;
    double held = 0; /* reports whose t is W */
    if (window > 0 && b > w) {
        held = b - fmax(a, w);
        b = fmax(a, w);
    }
    double kept = 1;
    if (b > a) kept = a / b * ((a + 1) / (b + 1)) * ((a + 2) / (b + 2)) * ((a + 3) / (b + 3));
    return held > 0 ? kept * exp(held * sotto__log1p(-4 / (w + 3))) : kept;
}
