#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>

/* ==== ratio ================================================================================== */

/* Means from sums by group. */

#define ROUNDING 1e-20 /* relative to the squares of the sums */

static double sum_of(const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    return sum;
}

static double squares_of(const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* NAN if the denominators are all 0. */
static double ratio_value(const sotto__ratio *ratio, uint32_t groups)
{
    double den = sum_of(ratio->den, groups);
    return den > 0 ? sum_of(ratio->num, groups) / den : NAN;
}

void sotto__ratio_influence(const sotto__ratio *ratio, uint32_t groups, double psi[SOTTO__GROUPS])
{
    double den = sum_of(ratio->den, groups), value = ratio_value(ratio, groups);
    for (uint32_t j = 0; j < groups; j++) {
        psi[j] = (ratio->num[j] - value * ratio->den[j] + ratio->pull[j]) / den;
    }
}

bool sotto__ratio_varies(const sotto__ratio *ratio, uint32_t groups)
{
    double psi[SOTTO__GROUPS], den = sum_of(ratio->den, groups);
    if (groups < 2 || !(den > 0)) return false;
    sotto__ratio_influence(ratio, groups, psi);
    return squares_of(psi, groups) > ROUNDING * squares_of(ratio->num, groups) / (den * den);
}

sotto_estimate sotto__ratio_estimate(const sotto__ratio *ratio, uint32_t groups)
{
    double psi[SOTTO__GROUPS], value = ratio_value(ratio, groups), n = groups;
    if (!sotto__ratio_varies(ratio, groups)) return (sotto_estimate){value, NAN, NAN};
    sotto__ratio_influence(ratio, groups, psi);
    double reach = SOTTO__NORMAL_95 * sqrt(n / (n - 1) * squares_of(psi, groups));
    return (sotto_estimate){value, value - reach, value + reach};
}

/* ==== bootstrap ============================================================================== */

/* The BCa bootstrap over groups of rows. */

#define SEED 1u /* of the draws, whatever the seeds of the runs */

/* How often each group is drawn. */
static void draw(sotto__seeded *coins, uint32_t groups, double times[SOTTO__GROUPS])
{
    memset(times, 0, groups * sizeof times[0]);
    for (uint32_t i = 0; i < groups; i++) {
        times[(uint32_t)(sotto__uniform(sotto__seeded_next(coins)) * groups)]++;
    }
}

/* NAN: the denominators of what was drawn sum to 0. */
static double value_of(const sotto__ratio *ratio, uint32_t groups, const double *times)
{
    double den = sotto__dot(times, ratio->den, groups);
    if (!(den > 0)) return NAN;
    return (sotto__dot(times, ratio->num, groups) + sotto__dot(times, ratio->pull, groups)) / den;
}

/* Moves the numbers that are not NAN to the front; returns how many there are. */
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

/* Phi^-1 of the share of resamples below the value. A share of 0 or 1 is moved inwards
 * by half a resample. */
static double bias_of(const double *sorted, uint32_t count, double value)
{
    double below = 0;
    for (uint32_t i = 0; i < count; i++) {
        below += sorted[i] < value ? 1 : sorted[i] == value ? 0.5 : 0;
    }
    return sotto__normal_quantile(fmin(fmax(below, 0.5), count - 0.5) / count);
}

/* If the skew is outside the range of the formula, the interval ends at the
 * most extreme resample. */
static double level_of(double bias, double skew, double z)
{
    double shifted = bias + z, shrunk = 1 - skew * shifted;
    if (shrunk <= 0) return z < 0 ? 0 : 1;
    return 1 - sotto__normal_tail(bias + shifted / shrunk);
}

static sotto_estimate interval_of(const sotto__ratio *ratio, uint32_t groups, double *resample)
{
    sotto_estimate out = {ratio_value(ratio, groups), NAN, NAN};
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

/* ==== off policy ============================================================================= */

/* Off-policy evaluation from sums. */

void sotto__off_policy_add(sotto__off_policy *sums, double reward, double propensity, double clip)
{
    double weight = 1 / fmax(propensity, clip);
    double product = weight * reward;
    sums->matched++;
    sums->weight += weight;
    sums->weight_squares += weight * weight;
    sums->product += product;
    sums->product_squares += product * product;
}

void sotto__off_policy_join(sotto__off_policy *sums, const sotto__off_policy *other)
{
    sums->matched += other->matched;
    sums->weight += other->weight;
    sums->weight_squares += other->weight_squares;
    sums->product += other->product;
    sums->product_squares += other->product_squares;
}

/* s^2 = (sum (w r)^2 - (sum w r)^2/n)/(n - 1), where events without a match have w r = 0. */
sotto_estimate sotto__off_policy_value(const sotto__off_policy *sums, uint64_t events)
{
    double n = (double)events;
    if (events == 0) return (sotto_estimate){NAN, NAN, NAN};
    double value = sums->product / n;
    double squares = sums->product_squares - n * value * value;
    /* All products are equal up to rounding, for example before the first click. */
    if (squares <= 1e-12 * sums->product_squares) return (sotto_estimate){value, NAN, NAN};
    double variance = squares / (n - 1);
    double reach = SOTTO__NORMAL_95 * sqrt(variance / n);
    return (sotto_estimate){value, value - reach, value + reach};
}

double sotto__off_policy_self_normalised(const sotto__off_policy *sums)
{
    return sums->matched > 0 ? sums->product / sums->weight : NAN;
}

double sotto__off_policy_effective_size(const sotto__off_policy *sums)
{
    return sums->matched > 0 ? sums->weight * sums->weight / sums->weight_squares : 0;
}

/* ==== evidence =============================================================================== */

/* Sums by group of rows. */

sotto_status sotto__evidence_new(uint32_t arms, uint32_t dim, sotto__evidence **out)
{
    *out = NULL;
    sotto__evidence *evidence = calloc(1, sizeof *evidence);
    if (evidence == NULL) return SOTTO_E_MEMORY;
    evidence->arms = arms;
    evidence->dim = dim;
    evidence->group = calloc(SOTTO__GROUPS, sizeof evidence->group[0]);
    evidence->given = calloc((size_t)arms * dim, sizeof evidence->given[0]);
    evidence->given_count = calloc(arms, sizeof evidence->given_count[0]);
    if (evidence->group == NULL || evidence->given == NULL || evidence->given_count == NULL) {
        sotto__evidence_free(evidence);
        return SOTTO_E_MEMORY;
    }
    *out = evidence;
    return SOTTO_OK;
}

void sotto__evidence_free(sotto__evidence *evidence)
{
    if (evidence == NULL) return;
    free(evidence->group);
    free(evidence->given);
    free(evidence->given_count);
    free(evidence);
}

void sotto__evidence_add(sotto__evidence *evidence, const sotto__reward_model *model,
                         const sotto__event *event)
{
    sotto__evidence_group *group = &evidence->group[sotto__group_of(event->row)];
    double *given = evidence->given + (size_t)event->given * evidence->dim;
    bool agreed = event->given == event->logged;
    double weight = agreed ? 1 / event->propensity : 0;
    group->events++;
    group->weight += weight;
    group->product += weight * event->reward;
    if (agreed) evidence->agreed++;
    if (event->learnt) {
        group->learnt++;
        group->learnt_reward += event->reward;
    }
    evidence->given_count[event->given]++;
    if (model == NULL) return;
    double q = sotto__reward_model_predict(model, event->row, event->x, event->given);
    group->predicted += q;
    group->corrected += q + weight * (event->reward - q);
    for (uint32_t i = 0; i < evidence->dim; i++) {
        given[i] += event->x[i];
    }
}

static void join_group(sotto__evidence_group *to, const sotto__evidence_group *from)
{
    to->events += from->events;
    to->weight += from->weight;
    to->product += from->product;
    to->predicted += from->predicted;
    to->corrected += from->corrected;
    to->learnt += from->learnt;
    to->learnt_reward += from->learnt_reward;
}

void sotto__evidence_join(sotto__evidence *evidence, const sotto__evidence *other)
{
    evidence->agreed += other->agreed;
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        join_group(&evidence->group[j], &other->group[j]);
    }
    for (uint32_t a = 0; a < evidence->arms; a++) {
        evidence->given_count[a] += other->given_count[a];
    }
    for (size_t i = 0; i < (size_t)evidence->arms * evidence->dim; i++) {
        evidence->given[i] += other->given[i];
    }
}
