/*
 * The ticks are ours rather than gnuplot's: two panels have to agree on them, powers of ten are to
 * be written as such, and a logarithmic axis of less than a decade still needs more than one.
 */
#include "figure_axis.h"

#include <assert.h>
#include <math.h>

#define SMALLEST 1e-200
#define LARGEST 1e200
#define DECADES_MIN 3    /* from here on, ticks at powers of ten alone */
#define DECADES_LABELS 8 /* about as many labels as fit */
#define STEPS_MAX 6

sotto__axis sotto__axis_empty(bool log)
{
    return (sotto__axis){.log = log, .lo = INFINITY, .hi = -INFINITY};
}

bool sotto__axis_takes(const sotto__axis *axis, double value)
{
    if (!isfinite(value) || fabs(value) > LARGEST) return false;
    return !axis->log || value >= SMALLEST;
}

void sotto__axis_hold(sotto__axis *axis, double value)
{
    if (!sotto__axis_takes(axis, value)) return;
    axis->lo = fmin(axis->lo, value);
    axis->hi = fmax(axis->hi, value);
}

void sotto__axis_settle(sotto__axis *axis, double pad)
{
    if (axis->lo > axis->hi) {
        axis->lo = axis->log ? 1 : 0;
        axis->hi = axis->log ? 10 : 1;
    }
    if (axis->log) {
        double lo = log10(axis->lo), hi = log10(axis->hi);
        double more = hi - lo < 1e-9 ? 0.3 : (hi - lo) * pad;
        axis->lo = pow(10, lo - more);
        axis->hi = pow(10, hi + more);
        return;
    }
    if (axis->lo > 0 && axis->lo < 0.1 * axis->hi) axis->lo = 0; /* it nearly begins there */
    double length = axis->hi - axis->lo, size = fmax(fabs(axis->lo), fabs(axis->hi));
    double more = length * pad;
    if (length <= 1e-9 * size || size < SMALLEST) more = size < SMALLEST ? 0.5 : 0.1 * size;
    axis->lo -= more;
    axis->hi += more;
}

double sotto__axis_at(const sotto__axis *axis, double value)
{
    if (!axis->log) return (value - axis->lo) / (axis->hi - axis->lo);
    return log(value / axis->lo) / log(axis->hi / axis->lo);
}

/* ---- ticks -------------------------------------------------------------------------------- */

typedef struct ticks {
    FILE *out;
    bool labels;
    bool powers; /* 3·10^5 rather than 300000, for all labels of the axis */
    const char *between;
} ticks;

static void put_minor(ticks *t, double value)
{
    fprintf(t->out, "%s'' %.10g 1", t->between, value);
    t->between = ", ";
}

static void put_power(ticks *t, int power)
{
    fprintf(t->out, "%s'", t->between);
    t->between = ", ";
    if (t->labels) fprintf(t->out, "10^{%d}", power);
    fprintf(t->out, "' %.10g", pow(10, power));
}

static void put_major(ticks *t, double value)
{
    int power = value == 0 ? 0 : (int)floor(log10(fabs(value)) + 1e-9);
    double digits = value / pow(10, power);
    bool as_power = t->powers && value != 0;
    if (as_power && fabs(digits - 1) < 1e-9) {
        put_power(t, power);
        return;
    }
    fprintf(t->out, "%s'", t->between);
    t->between = ", ";
    if (t->labels && !as_power) fprintf(t->out, "%.6g", value);
    if (t->labels && as_power) fprintf(t->out, "%.6g·10^{%d}", digits, power);
    fprintf(t->out, "' %.10g", value);
}

/* Steps of 1, 2 or 5 times a power of ten, the smallest of which no more than STEPS_MAX fit. */
static void linear_ticks(const sotto__axis *axis, ticks *t)
{
    static const double step_of[] = {1, 2, 5, 10};
    double length = axis->hi - axis->lo, step = 0;
    double power = pow(10, floor(log10(length / STEPS_MAX)));
    for (int i = 0; i < 4 && step == 0; i++) {
        if (length <= STEPS_MAX * step_of[i] * power) step = step_of[i] * power;
    }
    assert(step > 0);
    double first = ceil(axis->lo / step - 1e-9);
    for (int i = 0; i <= STEPS_MAX && (first + i) * step <= axis->hi + 1e-9 * step; i++) {
        put_major(t, (first + i) * step);
    }
}

/* The ends count, however they were rounded. */
static bool is_on(const sotto__axis *axis, double value)
{
    return value >= axis->lo * (1 - 1e-9) && value <= axis->hi * (1 + 1e-9);
}

/* Powers of ten, every one or every few; without all of them there is no room for those between. */
static void power_ticks(const sotto__axis *axis, int first, int last, ticks *t)
{
    int every = (last - first) / DECADES_LABELS + 1;
    for (int power = first - 1; power <= last; power++) {
        if (power >= first && (power - first) % every == 0) put_power(t, power);
        for (int digit = 2; every == 1 && digit < 10; digit++) {
            double value = digit * pow(10, power);
            if (is_on(axis, value)) put_minor(t, value);
        }
    }
}

/* 1, 2 and 5 in each of few decades. */
static void digit_ticks(const sotto__axis *axis, int first, int last, ticks *t)
{
    for (int power = first - 1; power <= last; power++) {
        for (int digit = 1; digit < 10; digit++) {
            double value = digit * pow(10, power);
            if (!is_on(axis, value)) continue;
            if (digit == 1 || digit == 2 || digit == 5) {
                put_major(t, value);
            } else {
                put_minor(t, value);
            }
        }
    }
}

void sotto__axis_ticks(const sotto__axis *axis, bool labels, FILE *out)
{
    assert(axis->lo < axis->hi);
    double size = fmax(fabs(axis->lo), fabs(axis->hi));
    ticks t = {.out = out, .labels = labels, .powers = size >= 1e5 || size < 1e-3, .between = ""};
    fputc('(', out);
    if (!axis->log || axis->hi < 5 * axis->lo) {
        linear_ticks(axis, &t);
    } else {
        int first = (int)ceil(log10(axis->lo) - 1e-9), last = (int)floor(log10(axis->hi) + 1e-9);
        if (last - first + 1 >= DECADES_MIN) {
            power_ticks(axis, first, last, &t);
        } else {
            digit_ticks(axis, first, last, &t);
        }
    }
    fputc(')', out);
}
