/*
 * The precision 1/P of the tracked estimator, over few reports one by one, over many at once.
 *
 * Self and centred add the same each time. Sign and huber have S^2 = 0.64/(s0^2 + P), so that q = s0^2/P goes
 *
 *   q' = q + a q/(1 + q),      a = 0.64 information.
 *
 * Its Abel function F has F(q') = F(q) + 1; n reports lead from q to the solution of
 * F(x) = F(q) + n. With w = 1/(1 + q), L = log(1 - w) = -log(1 + 1/q):
 *
 *   F = (q + log q)/a + L/2 - (a/12) (L + w + (3/2) w^2)
 *       + (a^2/24) (L + w + w^2/2 + w^3/3 + (5/4) w^4) + ...
 *
 * (1/F' is the generator of the iteration, log(1 + Delta) q with Delta h = h(q') - h(q), expanded in
 * a.) The first term left out is below 0.1 a^3, and moves 1/P by a w times that, relatively: with
 * a w <= 1/2048 by less than 1e-14. As long as a w is larger, reports are gone through one by one:
 * q grows by a factor 1 + a w each time, so this ends after a few thousand at most.
 *
 * Under drift 1/P runs freely until q - q_0 = (W - 1) a q/(1 + q), q_0 that of theta = 0; from then
 * on q' = q_0 + W a q/(1 + q) and stays on that side. With fixed points x > 0 > y of this map and
 * its slope g at x,
 *
 *   (q' - x)/(q' - y) = g (q - x)/(q - y).
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>

/* ==== damped precision ======================================================================= */

/*
 * On real data rewards are not linear in contexts, and contexts lie far from a sphere: reports say less
 * than their number suggests, and an overconfident estimate stops learning. So the more has been added
 * to the precision 1/P, the less a report adds. With R the range of rewards and added = information S^2,
 * the same for each report of a phase,
 *
 *     1/P += added/(1 + R^2 (1/P - 1/P_0)/6).
 *
 * In y = R^2 (1/P - 1/P_0) and a = R^2 added that is y += a/(1 + y/6), so that y + y^2/12 grows by about
 * a. Under drift y is never more than the root of y + y^2/12 = W a.
 *
 * Many reports at once: in q = 1 + y/6, u = q^2, b = a/6 a report is q' = q + b/q, u' = u (1 + b/u)^2.
 * The Abel function of this map, with F(u') = F(u) + 1, is
 *
 *     F = u/(2 b) - log(u)/4 + w/8 + (5/96) w^2 + (7/288) w^3 - ...,     w = b/u,
 *
 * and n reports lead from u to the solution x of F(x) = F(u) + n. What is left out is below w^4; with
 * w <= 1/2048 that is below 1e-13 of one report. As long as w is larger, reports are gone through one by
 * one: u grows by 2 b each time, so this ends after a thousand or so.
 */

#define SLOW (1.0 / 2048) /* the w, or a w, from which an expansion holds */

/* The terms of F after the first two. */
static double damped_correction(double b, double u)
{
    double w = b / u;
    return w * (1.0 / 8 + w * (5.0 / 96 + w * (7.0 / 288)));
}

/* F(x) - F(u): how many reports lead from u to x. */
static double damped_between(double b, double u, double x)
{
    return (x - u) / (2 * b) - log(x / u) / 4 + damped_correction(b, x) - damped_correction(b, u);
}

/* x by Newton's method, from where the first term leads. F is nearly a line: each step leaves less than
 * w of the error. */
static double run_damped_at_once(double b, double u, double n)
{
    double x = u + 2 * b * n;
    for (int i = 0; i < 8; i++) {
        x += (n - damped_between(b, u, x)) * 2 * b;
    }
    return x;
}

double sotto__run_damped(const sotto__damping *damping, uint64_t reports, double precision)
{
    if (reports == 0) return precision;
    double unit = damping->range * damping->range, a = unit * damping->added;
    double y = fmax(0, unit * (precision - damping->first)); /* rounding may leave less */
    bool few = reports <= SOTTO__LOOP_REPORTS_MAX;
    for (; reports > 0 && (few || a / 6 > SLOW * (1 + y / 6) * (1 + y / 6)); reports--) {
        y += a / (1 + y / 6);
    }
    if (reports > 0) {
        double q = 1 + y / 6;
        y = 6 * (sqrt(run_damped_at_once(a / 6, q * q, (double)reports)) - 1);
    }
    if (damping->window > 0) {
        y = fmin(y, 6 * (sqrt(1 + (double)damping->window * a / 3) - 1));
    }
    return damping->first + y / unit;
}

/* ==== precision =========================================================================== */

static bool slope_is_fixed(const sotto_spec *spec)
{
    return spec->score == SOTTO_SCORE_SELF || spec->score == SOTTO_SCORE_CENTRED;
}

/* S, the slope of the mean score along theta* - theta. Sign and huber: 0.8/sqrt(s0^2 + P), with s0
 * a guess of the noise in rewards, 0.3 of half their range. Self and centred: 1.6/(hi - lo) for the
 * identity link, 1.2/(hi - lo) on real data, 0.5 for the other links. */
static double slope_of(const sotto_spec *spec, double precision)
{
    double range = spec->reward_hi - spec->reward_lo;
    if (slope_is_fixed(spec)) {
        if (spec->link != SOTTO_LINK_IDENTITY) return 0.5;
        return (sotto__for_real_data(spec) ? 1.2 : 1.6) / range;
    }
    double noise = 0.3 * range / 2;
    return 0.8 / sqrt(noise * noise + 1 / precision);
}

double sotto__first_precision(const sotto_spec *spec, const sotto_learning *learning)
{
    if (learning->prior_variance > 0) return 1 / learning->prior_variance;
    return spec->dim / (spec->theta_norm_max * spec->theta_norm_max);
}

/* The definition: one report after the other. Returns S of the last. */
static double go_through(const sotto_spec *spec, double first, double information, uint64_t reports,
                         double *precision)
{
    double slope = 0;
    for (uint64_t u = 0; u < reports; u++) {
        slope = slope_of(spec, *precision);
        double added = information * slope * slope;
        *precision += added;
        if (spec->window_reports == 0) continue;
        double most = first + (double)spec->window_reports * added;
        *precision = fmin(*precision, most);
    }
    return slope;
}

/* The terms of F after the first. */
static double correction(double a, double q)
{
    double w = 1 / (1 + q), log_part = -sotto__log1p(1 / q);
    double first = log_part + w * (1 + w * 1.5);
    double second = log_part + w * (1 + w * (0.5 + w * (1.0 / 3 + w * 1.25)));
    return log_part / 2 - a / 12 * first + a * a / 24 * second;
}

/* F(x) - F(q): how many reports lead from q to x. */
static double reports_between(double a, double q, double x)
{
    return (x - q + log(x / q)) / a + correction(a, x) - correction(a, q);
}

/* The solution of F(x) = F(q) + n by Newton's method, from that of x + log x = q + log q + a n
 * roughly. F is concave: after the first step x comes from below, and each step squares the error.
 */
static double run_freely(double a, double q, double n)
{
    double sum = q + log(q) + a * n;
    double x = sum > 1 ? sum - log(sum) : exp(sum) / (1 + exp(sum));
    for (int i = 0; i < 8; i++) {
        double w = 1 / (1 + x);
        double tick = a * x * w * (1 - a * w * w / 2); /* 1/F', nearly */
        x += (n - reports_between(a, q, x)) * tick;
    }
    return x;
}

/* The positive root of q - q0 = A q/(1 + q). */
static double balance(double q0, double big_a)
{
    double m = q0 + big_a - 1, root = sqrt(m * m + 4 * q0);
    return m > 0 ? (m + root) / 2 : 2 * q0 / (root - m);
}

/* n reports of q' = q0 + A q/(1 + q). */
static double run_bounded(double q0, double big_a, double q, double n)
{
    double x = balance(q0, big_a), y = -q0 / x;
    double slope = big_a / ((1 + x) * (1 + x));
    double part = exp(n * log(slope)) * (q - x) / (q - y);
    return x + (x - y) * part / (1 - part);
}

/* Sign and huber, any number of reports: q of 1/P. */
static void take_at_once(const sotto_spec *spec, double first, double information, uint64_t reports,
                         double *precision)
{
    double noise = 0.3 * (spec->reward_hi - spec->reward_lo) / 2;
    double unit = noise * noise, a = 0.64 * information; /* q = unit/P */
    double least = unit * first, window = (double)spec->window_reports;
    double bound = spec->window_reports > 0 ? balance(least, (window - 1) * a) : INFINITY;
    double q = unit * *precision;
    while (reports > 0 && q < bound && a > SLOW * (1 + q)) {
        (void)go_through(spec, first, information, 1, precision);
        q = unit * *precision;
        reports--;
    }
    if (reports == 0) return;
    double left = (double)reports;
    if (q < bound) {
        double free = isinf(bound) ? left : fmin(left, ceil(reports_between(a, q, bound)));
        q = run_freely(a, q, free);
        left -= free;
    }
    if (left > 0) q = run_bounded(least, window * a, q, left);
    *precision = q / unit;
}

/* Self and centred: the same from each report. */
static void take_equals(const sotto_spec *spec, double first, double information, uint64_t reports,
                        double *precision)
{
    double slope = slope_of(spec, *precision), added = information * slope * slope;
    *precision += (double)reports * added;
    if (spec->window_reports == 0) return;
    double most = first + (double)spec->window_reports * added;
    *precision = fmin(*precision, most);
}

/* Scores `self` on real data. */
static double take_damped(const sotto_spec *spec, double first, double information,
                          uint64_t reports, double *precision)
{
    double slope = slope_of(spec, *precision);
    const sotto__damping damping = {
        .first = first,
        .range = spec->reward_hi - spec->reward_lo,
        .added = information * slope * slope,
        .window = spec->window_reports,
    };
    *precision = sotto__run_damped(&damping, reports, *precision);
    return reports > 0 ? slope : 0;
}

double sotto__run_precision(const sotto_spec *spec, double first, double information,
                            uint64_t reports, double *precision)
{
    if (sotto__for_real_data(spec)) {
        return take_damped(spec, first, information, reports, precision);
    }
    if (reports > SOTTO__LOOP_REPORTS_MAX) {
        bool equal = slope_is_fixed(spec);
        uint64_t before_last = reports - 1;
        if (equal) take_equals(spec, first, information, before_last, precision);
        if (!equal) take_at_once(spec, first, information, before_last, precision);
        reports = 1;
    }
    return go_through(spec, first, information, reports, precision);
}
