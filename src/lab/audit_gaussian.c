/*
 * Layer 2. Of f(x) + N(0, sigma^2) and f(x') + N(0, sigma^2), a fair coin apart, no guess is right
 * more often than A = Phi(mu/2), mu = |f(x) - f(x')|/sigma, and the sign of the projection on
 * f(x) - f(x') reaches it. So mu >= 2 Phi^-1(A), and the privacy of mu is known exactly (Balle and
 * Wang 2018): delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
 */
#include "audit_gaussian.h"
#include "statistics.h"

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

double sotto__gaussian_epsilon(double ratio, double delta)
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

typedef struct moments {
    double count, mean, deviation;
} moments;

static moments moments_of(const sotto__scored_trial *sample, uint64_t count, uint32_t secret)
{
    moments m = {0, 0, 0};
    double squares = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (sample[i].secret != secret) continue;
        m.count++;
        double step = sample[i].score - m.mean;
        m.mean += step / m.count;
        squares += step * (sample[i].score - m.mean);
    }
    m.deviation = sqrt(squares / m.count);
    return m;
}

/* Jarque and Bera: n (S^2/6 + (K-3)^2/24) is chi-square with 2 degrees, for each secret. The bins
 * are equally likely under the fitted normal; two fitted numbers cost two degrees. */
double sotto__normality_p(const sotto__scored_trial *sample, uint64_t count)
{
    enum { BINS = 32 };
    double shape = 0, chi = 0;
    for (uint32_t secret = 0; secret < 2; secret++) {
        moments m = moments_of(sample, count, secret);
        if (!(m.deviation > 0)) return 0;
        double third = 0, fourth = 0, bin[BINS] = {0};
        for (uint64_t i = 0; i < count; i++) {
            if (sample[i].secret != secret) continue;
            double z = (sample[i].score - m.mean) / m.deviation;
            third += z * z * z;
            fourth += z * z * z * z;
            int at = (int)(BINS * sotto__normal_tail(z));
            bin[at < BINS ? at : BINS - 1]++;
        }
        double skewness = third / m.count, kurtosis = fourth / m.count;
        shape += m.count * (skewness * skewness / 6 + (kurtosis - 3) * (kurtosis - 3) / 24);
        for (int i = 0; i < BINS; i++) {
            double off = bin[i] - m.count / BINS;
            chi += off * off / (m.count / BINS);
        }
    }
    double p_shape = sotto__chi_square_tail(shape, 4);
    double p_bins = sotto__chi_square_tail(chi, 2 * (BINS - 3));
    return sotto__smallest_p(fmin(p_shape, p_bins), 2);
}
