/* The BCa bootstrap over groups of rows. */
#include "bootstrap.h"
#include "core/linalg.h"
#include "lab/math/moments.h"
#include "lab/math/statistics.h"
#include "lab/random/stream.h"

#include <math.h>
#include <stdlib.h>

#define SEED 1u /* of the draws, whatever the seeds of the runs */

/* How often each group is drawn. */
static void draw(sotto__seeded *coins, uint32_t groups, double times[SOTTO__GROUPS])
{
    memset(times, 0, groups * sizeof times[0]);
    for (uint32_t i = 0; i < groups; i++) {
        times[(uint32_t)(sotto__uniform(sotto__seeded_next(coins)) * groups)]++;
    }
}

/* NAN: nothing that counts was drawn. */
static double value_of(const sotto__ratio *ratio, uint32_t groups, const double *times)
{
    double den = sotto__dot(times, ratio->den, groups);
    if (!(den > 0)) return NAN;
    return (sotto__dot(times, ratio->num, groups) + sotto__dot(times, ratio->pull, groups)) / den;
}

/* Moves the numbers to the front; how many they are. */
static uint32_t without_nan(double *x, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!isnan(x[i])) x[kept++] = x[i];
    }
    return kept;
}

static double skew_of(const sotto__ratio *ratio, uint32_t groups)
{
    double psi[SOTTO__GROUPS], squares = 0, cubes = 0;
    sotto__ratio_influence(ratio, groups, psi);
    for (uint32_t j = 0; j < groups; j++) {
        squares += psi[j] * psi[j];
        cubes += psi[j] * psi[j] * psi[j];
    }
    return cubes / (6 * squares * sqrt(squares));
}

/* Phi^-1 of the share below the value; one that is at an end is taken as half a resample from it. */
static double bias_of(const double *sorted, uint32_t count, double value)
{
    double below = 0;
    for (uint32_t i = 0; i < count; i++) {
        below += sorted[i] < value ? 1 : sorted[i] == value ? 0.5 : 0;
    }
    return sotto__normal_quantile(fmin(fmax(below, 0.5), count - 0.5) / count);
}

/* Where skew leaves the range of the formula, the end is that of all resamples. */
static double level_of(double bias, double skew, double z)
{
    double shifted = bias + z, shrunk = 1 - skew * shifted;
    if (shrunk <= 0) return z < 0 ? 0 : 1;
    return 1 - sotto__normal_tail(bias + shifted / shrunk);
}

static sotto_estimate interval_of(const sotto__ratio *ratio, uint32_t groups, double *resample)
{
    sotto_estimate out = {sotto__ratio_value(ratio, groups), NAN, NAN};
    uint32_t kept = without_nan(resample, SOTTO__RESAMPLES);
    if (kept < (1 - SOTTO__RESAMPLES_EMPTY_MAX) * SOTTO__RESAMPLES) return out;
    if (!sotto__ratio_varies(ratio, groups)) return out;
    sotto__sort(resample, kept);
    double skew = skew_of(ratio, groups), bias = bias_of(resample, kept, out.value);
    out.lo = sotto__quantile(resample, kept, level_of(bias, skew, -SOTTO__NORMAL_95));
    out.hi = sotto__quantile(resample, kept, level_of(bias, skew, SOTTO__NORMAL_95));
    return out;
}

sotto_status sotto__bootstrap(const sotto__ratio *ratio, uint32_t count, uint32_t groups,
                              sotto_estimate *out)
{
    sotto__seeded coins;
    double times[SOTTO__GROUPS];
    double *resample = calloc((size_t)count * SOTTO__RESAMPLES, sizeof *resample);
    if (resample == NULL) return SOTTO_E_MEMORY;
    sotto__stream_begin(&coins, SEED, SOTTO__PURPOSE_BOOTSTRAP);
    for (uint32_t b = 0; b < SOTTO__RESAMPLES; b++) {
        draw(&coins, groups, times);
        for (uint32_t i = 0; i < count; i++) {
            resample[(size_t)i * SOTTO__RESAMPLES + b] = value_of(&ratio[i], groups, times);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = interval_of(&ratio[i], groups, resample + (size_t)i * SOTTO__RESAMPLES);
    }
    free(resample);
    return SOTTO_OK;
}
