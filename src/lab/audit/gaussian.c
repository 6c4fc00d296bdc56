/*
 * Layer 2. If a fair coin chooses between f(x) + N(0, sigma^2) and f(x') + N(0, sigma^2), no guess
 * is right more often than A = Phi(mu/2), mu = |f(x) - f(x')|/sigma, and the sign of the projection
 * on f(x) - f(x') reaches it. So mu >= 2 Phi^-1(A), and the privacy of mu is known exactly (Balle
 * and Wang 2018): delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
 */
#include "inner.h"
#include "lab/math/math.h"

#include <sotto/core.h>

#include <math.h>

double sotto__gaussian_allowed(double epsilon, double delta)
{
    return 1 / sotto_gaussian_sigma(epsilon, delta, 1);
}

double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha)
{
    double accuracy = sotto__chance_lower(right, trials, alpha);
    if (!(accuracy > 0.5)) return 0;
    return 2 * sotto__normal_quantile(accuracy);
}

double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed)
{
    return sotto__binomial_tail(right, trials, 1 - sotto__normal_tail(allowed / 2));
}

double sotto__audit_gaussian_epsilon(double ratio, double delta)
{
    double lo = 1e-3, hi = 50;
    if (!(sotto__gaussian_allowed(lo, delta) < ratio)) return 0;
    for (int i = 0; i < 50; i++) {
        double middle = (lo + hi) / 2;
        if (sotto__gaussian_allowed(middle, delta) < ratio) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return lo;
}

void sotto__shape_add(sotto__shape *shape, uint32_t secret, double witness)
{
    double power = 1;
    shape->count[secret]++;
    for (int k = 0; k < 4; k++) {
        power *= witness;
        shape->power[secret][k] += power;
    }
}

/* Skewness and kurtosis from the sums of powers; false if the witnesses do not vary. */
static bool skewness_and_kurtosis(const double power[4], double n, double *skewness,
                                  double *kurtosis)
{
    double m = power[0] / n, m2 = power[1] / n, m3 = power[2] / n, m4 = power[3] / n;
    double variance = m2 - m * m;
    if (!(n > 0 && variance > 0)) return false;
    *skewness = (m3 - 3 * m * m2 + 2 * m * m * m) / (variance * sqrt(variance));
    *kurtosis = (m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m) / (variance * variance);
    return true;
}

/* Jarque and Bera: n (S^2/6 + (K - 3)^2/24), summed over the secrets, is chi-square with 4 degrees.
 *
 * Passing this test does not prove that the noise is normal. The noise most easily mistaken for it
 * is a projection whose likelihood ratio is a step, as with PrivUnit and the l2-ball: a normal
 * density that is heavier by a factor on the side of its secret. Its skewness is -mu/2 for one
 * secret and mu/2 for the other, so S - S' = -mu; for Gaussian noise S - S' = 0. So |S - S'| must
 * be below mu/2 by three standard errors. */
bool sotto__shape_normal(const sotto__shape *shape, double ratio)
{
    double skewness[2], kurtosis[2], chi = 0, error = 0;
    for (int s = 0; s < 2; s++) {
        double n = shape->count[s];
        if (!skewness_and_kurtosis(shape->power[s], n, &skewness[s], &kurtosis[s])) return false;
        double excess = kurtosis[s] - 3;
        chi += n * (skewness[s] * skewness[s] / 6 + excess * excess / 24);
        error += 6 / n;
    }
    if (!(sotto__chi_square_tail(chi, 4) > 0.01)) return false;
    return fabs(skewness[0] - skewness[1]) + 3 * sqrt(error) < ratio / 2;
}
