/*
 * Sums of steps by the formula of Euler and Maclaurin, and the product of averaging weights.
 *
 *   sum of f(y) over y = a, a + 1, ..., b
 *     = int_a^b f + (f(a) + f(b))/2 + (f'(b) - f'(a))/12 - (f'''(b) - f'''(a))/720
 *       + (f'''''(b) - f'''''(a))/30240 - ...
 *
 * From a = 64 on the terms left out are below 1e-16 of the sum, so the first few readings are added
 * one by one. A clock of another stride is one of stride 1 in other units.
 */
#include "step_sum.h"
#include "core/elementary.h"

#include <math.h>

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

/* How many of count readings are below x, where the first is at 0. */
static uint64_t readings_below(double x, uint64_t count)
{
    if (!(x > 0)) return 0;
    return x < (double)count ? (uint64_t)ceil(x) : count;
}

double sotto__step_sum(sotto_step step, const sotto__clock *clock)
{
    double first = clock->first, stride = clock->stride;
    uint64_t early = readings_below((clock->lo - first) / stride, clock->count);
    uint64_t until = readings_below((clock->hi - first) / stride, clock->count);
    uint64_t within = until > early ? until - early : 0;
    uint64_t late = clock->count - early - within;
    double sum = 0;
    if (early > 0) sum += (double)early * step_of(step, clock->lo);
    if (late > 0) sum += (double)late * step_of(step, clock->hi);
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
