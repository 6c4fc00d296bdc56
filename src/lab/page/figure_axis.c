/* Axes and their ticks. Large numbers get commas, and a logarithmic axis of less than a decade gets
 * more than one tick. */
#include "inner.h"
#include "text/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALLEST 1e-200
#define LARGEST 1e200
#define DECADES_MIN 3    /* from here on, ticks only at powers of ten */
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
    if (axis->lo > 0 && axis->lo < 0.1 * axis->hi) axis->lo = 0; /* the data nearly begin at 0 */
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
    sotto__tick *tick;
    uint32_t count;
    bool powers; /* 3·10⁸ rather than 300,000,000, for all labels of the axis */
} ticks;

static char *put_next(ticks *t, double value)
{
    assert(t->count < SOTTO__TICKS_MAX);
    sotto__tick *tick = &t->tick[t->count++];
    tick->value = value;
    tick->label[0] = '\0';
    return tick->label;
}

/* 10 to the power, as Unicode superscripts: plain text that needs no markup. */
static void put_power(char *label, const char *before, int power)
{
    static const char *const small[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    int at = snprintf(label, SOTTO__TICK_BYTES, "%s10%s", before, power < 0 ? "⁻" : "");
    snprintf(digits, sizeof digits, "%d", power < 0 ? -power : power);
    for (const char *digit = digits; *digit != '\0'; digit++) {
        at += snprintf(label + at, SOTTO__TICK_BYTES - (size_t)at, "%s", small[*digit - '0']);
    }
}

static void put_major(ticks *t, double value)
{
    char *label = put_next(t, value);
    if (!t->powers || value == 0) {
        char text[SOTTO__GROUPED_BYTES];
        bool grouped = fabs(value) >= 1000 && value == rint(value);
        if (grouped) snprintf(label, SOTTO__TICK_BYTES, "%s", sotto__grouped(value, text));
        if (!grouped) snprintf(label, SOTTO__TICK_BYTES, "%.7g", value);
        return;
    }
    int power = (int)floor(log10(fabs(value)) + 1e-9);
    double digits = value / pow(10, power);
    char before[16] = "";
    if (fabs(digits - 1) >= 1e-9) snprintf(before, sizeof before, "%.6g·", digits);
    put_power(label, before, power);
}

/* Steps of 1, 2 or 5 times a power of ten: the smallest step of which at most STEPS_MAX fit. */
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

/* Includes both ends of the axis, despite rounding. */
static bool is_on(const sotto__axis *axis, double value)
{
    return value >= axis->lo * (1 - 1e-9) && value <= axis->hi * (1 + 1e-9);
}

/* Ticks at powers of ten: every power, or one in every few. Minor ticks are added only if every
 * power has a tick. */
static void power_ticks(const sotto__axis *axis, int first, int last, ticks *t)
{
    int every = (last - first) / DECADES_LABELS + 1;
    for (int power = first - 1; power <= last; power++) {
        if (power >= first && (power - first) % every == 0) put_major(t, pow(10, power));
        for (int digit = 2; every == 1 && digit < 10; digit++) {
            double value = digit * pow(10, power);
            if (is_on(axis, value)) put_next(t, value);
        }
    }
}

/* Labels 1, 2 and 5 in each decade, for axes of few decades. */
static void digit_ticks(const sotto__axis *axis, int first, int last, ticks *t)
{
    for (int power = first - 1; power <= last; power++) {
        for (int digit = 1; digit < 10; digit++) {
            double value = digit * pow(10, power);
            if (!is_on(axis, value)) continue;
            if (digit == 1 || digit == 2 || digit == 5) {
                put_major(t, value);
            } else {
                put_next(t, value);
            }
        }
    }
}

uint32_t sotto__axis_ticks(const sotto__axis *axis, sotto__tick tick[SOTTO__TICKS_MAX])
{
    assert(axis->lo < axis->hi);
    double size = fmax(fabs(axis->lo), fabs(axis->hi));
    double least = axis->log ? axis->lo : size;
    ticks t = {.tick = tick, .powers = size >= 1.5e6 || least < 1e-4};
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
    return t.count;
}
