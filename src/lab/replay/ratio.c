/* Means from sums by group. */
#include "ratio.h"

#include <math.h>

#define ROUNDING 1e-20 /* of squares, next to those of the sums */

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

double sotto__ratio_value(const sotto__ratio *ratio, uint32_t groups)
{
    double den = sum_of(ratio->den, groups);
    return den > 0 ? sum_of(ratio->num, groups) / den : NAN;
}

void sotto__ratio_influence(const sotto__ratio *ratio, uint32_t groups, double psi[SOTTO__GROUPS])
{
    double den = sum_of(ratio->den, groups), value = sotto__ratio_value(ratio, groups);
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
    double psi[SOTTO__GROUPS], value = sotto__ratio_value(ratio, groups), n = groups;
    if (!sotto__ratio_varies(ratio, groups)) return (sotto_estimate){value, NAN, NAN};
    sotto__ratio_influence(ratio, groups, psi);
    double reach = SOTTO__NORMAL_95 * sqrt(n / (n - 1) * squares_of(psi, groups));
    return (sotto_estimate){value, value - reach, value + reach};
}
