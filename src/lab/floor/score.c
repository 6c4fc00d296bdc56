/*
 * A person's reward r has mean mu = mu(D c), c = x . theta* over D, and variance v. Its log-likelihood has
 * the derivative
 *
 *     e = (r - mu) mu'/v
 *
 * by x . theta* (laws gaussian, bernoulli and poisson), so that theta* turned along a unit tangent u
 * has the score <u, S> = e D y, y = <u, x>. E[e] = 0 and E[e^2] = mu'^2/v.
 */
#include "score.h"
#include "core/link.h"
#include "lab/math/statistics.h"

#include <math.h>

#define COUNT_MAX 1000

static double variance(const sotto__score *score, double mean)
{
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return score->noise * score->noise;
    case SOTTO_LAW_BERNOULLI: return mean * (1 - mean);
    case SOTTO_LAW_POISSON: return mean;
    case SOTTO_LAW_NONE: return 0;
    }
    return 0;
}

bool sotto__score_exists(const sotto__score *score)
{
    bool chance = score->link == SOTTO_LINK_LOGIT || score->link == SOTTO_LINK_PROBIT;
    if (!(score->theta_norm >= 1e-6 && score->theta_norm <= 5)) return false;
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return score->noise >= 1e-6 && score->noise <= 1e6;
    case SOTTO_LAW_BERNOULLI: return chance;
    case SOTTO_LAW_POISSON: return score->link == SOTTO_LINK_LOG;
    case SOTTO_LAW_NONE: return false;
    }
    return false;
}

/* E[(s Z - rho)_+], Z a standard normal, s > 0. */
static double normal_excess(double s, double rho)
{
    const double root_two_pi = 2.50662827463100050242;
    double a = rho / s;
    if (a > 38) return 0;
    return fmax(0, s * exp(-0.5 * a * a) / root_two_pi - rho * sotto__normal_tail(a));
}

/* (|value| - rho)_+: one of the two signs is above 0. */
static double either(double value, double rho)
{
    return fmax(0, fabs(value) - rho) / 2;
}

static double count_excess(double mean, double scale, double rho)
{
    double chance = exp(-mean), sum = 0;
    for (int k = 0; k < COUNT_MAX; k++) {
        sum += chance * either((k - mean) * scale, rho);
        if (k > mean && chance < 1e-18) break;
        chance *= mean / (k + 1);
    }
    return sum;
}

double sotto__score_excess(const sotto__score *score, double c, double y, double rho)
{
    double at = score->theta_norm * c, mean = sotto__link_mean(score->link, at);
    double scale =
        sotto__link_slope(score->link, at) / variance(score, mean) * score->theta_norm * y;
    if (!(scale > 0)) return 0;
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return normal_excess(score->noise * scale, rho);
    case SOTTO_LAW_BERNOULLI:
        return mean * either((1 - mean) * scale, rho) + (1 - mean) * either(mean * scale, rho);
    case SOTTO_LAW_POISSON: return count_excess(mean, scale, rho);
    case SOTTO_LAW_NONE: return 0;
    }
    return 0;
}

double sotto__score_square(const sotto__score *score, double c)
{
    double at = score->theta_norm * c, mean = sotto__link_mean(score->link, at);
    double slope = sotto__link_slope(score->link, at) * score->theta_norm;
    return slope * slope / variance(score, mean);
}
