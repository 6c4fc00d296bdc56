/* Off-policy evaluation from sums. */
#include "off_policy.h"

#include <math.h>

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
    /* All products are the same, except for rounding, as before anybody has clicked. */
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
