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
#include "measure.h"
#include "core/elementary.h"

#include <math.h>
#include <string.h>

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
    add(&measures->follow, &tally->follow);
    add(&measures->control, &control);
    uint32_t doublings = sotto__measures_doublings(measures);
    if (doublings > measures->doublings) {
        measures->doublings = doublings;
        measures->recent_follow = measures->recent_control = (sotto__measured){0};
        return; /* the epoch that passes a power of two belongs to what was before */
    }
    add(&measures->recent_follow, &tally->follow);
    add(&measures->recent_control, &control);
}
