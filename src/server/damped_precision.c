/*
 * On real data rewards are not linear in contexts, and contexts lie far from a sphere: what reports say
 * is not as sure as their number, and an estimate that is too sure of itself stops to learn. So a
 * report adds less to the precision 1/P, the more has been added before. With R the range of rewards and
 * added = information S^2, the same for each report of a phase,
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
#include "damped_precision.h"
#include "step_sum.h"

#include <math.h>

#define SLOW (1.0 / 2048) /* w from which on the expansion holds */

/* The terms of F after the first two. */
static double correction(double b, double u)
{
    double w = b / u;
    return w * (1.0 / 8 + w * (5.0 / 96 + w * (7.0 / 288)));
}

/* F(x) - F(u): how many reports lead from u to x. */
static double reports_between(double b, double u, double x)
{
    return (x - u) / (2 * b) - log(x / u) / 4 + correction(b, x) - correction(b, u);
}

/* x by Newton's method, from where the first term leads. F is nearly a line: each step leaves less than
 * w of the error. */
static double run_at_once(double b, double u, double n)
{
    double x = u + 2 * b * n;
    for (int i = 0; i < 8; i++) {
        x += (n - reports_between(b, u, x)) * 2 * b;
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
        y = 6 * (sqrt(run_at_once(a / 6, q * q, (double)reports)) - 1);
    }
    if (damping->window > 0) {
        y = fmin(y, 6 * (sqrt(1 + (double)damping->window * a / 3) - 1));
    }
    return damping->first + y / unit;
}
