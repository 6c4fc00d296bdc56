/*
 * Scales of the randomisers: how long a report must be so that it is unbiased and private.
 *
 * Phi is the normal distribution function, I the regularised incomplete beta function. Proofs that
 * these scales are private are in docs/privacy.md; here is only the arithmetic.
 */
#include "core.h"

#include <math.h>

static const double log_sqrt_pi = 0.57236494292470008707;

bool sotto__calibration_range(uint32_t dim, double epsilon)
{
    return dim >= 1 && dim <= SOTTO_CELLS_MAX && epsilon >= 1e-3 && epsilon <= 50;
}

/* r = (sqrt(pi)/2) ((e^eps+1)/(e^eps-1)) d Gamma((d+1)/2)/Gamma(d/2+1), for inputs of norm <= 1
 * (Lemma 2.2 of the paper, after Duchi et al.). */
double sotto_l2ball_radius(uint32_t dim, double epsilon)
{
    if (!sotto__calibration_range(dim, epsilon)) return INFINITY;
    double d = dim;
    double log_ratio = sotto__log_gamma((d + 1) / 2) - sotto__log_gamma(d / 2 + 1);
    return d * exp(log_sqrt_pi + log_ratio) / (2 * tanh(epsilon / 2));
}

/* m(g) = h(g) (1 - e^-eps)/(q e^-eps + q1), h(g) = (1-g^2)^a / ((d-1) Beta(1/2, a)),
 * q1(g) = I_{(1-g)/2}(a, a), q = 1 - q1, a = (d-1)/2. */
static double privunit_mean(double a, double g, double epsilon)
{
    double q1 = sotto__incomplete_beta((1 - g) / 2, a, a);
    double h = exp(a * log1p(-g * g) - sotto__log_beta(0.5, a)) / (2 * a);
    return h * -expm1(-epsilon) / ((1 - q1) * exp(-epsilon) + q1);
}

/* Bhowmick et al. 2018, with the cap height g that makes the report shortest. d = 1 is randomised
 * response: the "cap" is the true sign. */
sotto_privunit sotto_privunit_constants(uint32_t dim, double epsilon)
{
    if (!sotto__calibration_range(dim, epsilon)) return (sotto_privunit){.scale = INFINITY};
    if (dim == 1) {
        return (sotto_privunit){
            .cap_height = 0,
            .cap_chance = 1 / (1 + exp(-epsilon)),
            .scale = 1 / tanh(epsilon / 2),
        };
    }
    /* m is unimodal in g: narrow [lo, hi] by the golden section until its ends agree. */
    const double golden = 0.61803398874989484820;
    double a = (dim - 1) / 2.0;
    double lo = 0, hi = 1;
    while (hi - lo > 1e-9) {
        double left = hi - golden * (hi - lo);
        double right = lo + golden * (hi - lo);
        if (privunit_mean(a, left, epsilon) < privunit_mean(a, right, epsilon)) {
            lo = left;
        } else {
            hi = right;
        }
    }
    double g = (lo + hi) / 2;
    double q1 = sotto__incomplete_beta((1 - g) / 2, a, a);
    return (sotto_privunit){
        .cap_height = g,
        .cap_chance = q1 / (q1 + (1 - q1) * exp(-epsilon)),
        .scale = 1 / privunit_mean(a, g, epsilon),
    };
}

/* delta(eps) = Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m), m = Delta/sigma (Balle and Wang 2018);
 * the second term in log space, because e^eps alone may overflow what Phi underflows. */
double sotto_gaussian_delta(double epsilon, double whitened)
{
    double m = whitened;
    double first = exp(sotto__log_normal_cdf(m / 2 - epsilon / m));
    double second = exp(epsilon + sotto__log_normal_cdf(-m / 2 - epsilon / m));
    return fmax(0, first - second);
}

/* delta falls as epsilon grows; delta(eps) <= Phi(m/2 - eps/m) is below any delta a double can hold
 * from eps = m^2/2 + 40 m on. */
double sotto_gaussian_epsilon(double delta, double whitened)
{
    double lo = 0, hi = whitened * whitened / 2 + 40 * whitened;
    if (sotto_gaussian_delta(0, whitened) <= delta) return 0;
    for (int i = 0; i < 200; i++) {
        double middle = (lo + hi) / 2;
        if (sotto_gaussian_delta(middle, whitened) <= delta) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return hi;
}

double sotto_gaussian_sigma(double epsilon, double delta, double diameter)
{
    if (!(epsilon >= 1e-3 && epsilon <= 50)) return INFINITY;
    if (!(delta >= 1e-12 && delta <= 0.5)) return INFINITY;
    /* delta falls as sigma/Delta grows: bisect ln(sigma/Delta) over every case the ranges allow. */
    double lo = log(1e-4), hi = log(1e5);
    for (int i = 0; i < 100; i++) {
        double middle = (lo + hi) / 2;
        if (sotto_gaussian_delta(epsilon, exp(-middle)) <= delta) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return diameter * exp(hi) * (1 + 1e-9);
}

/* Diameter of (svec(x x'), lambda r x) over ||x|| <= C, |r| <= c, l = lambda c/C:
 * C^2 (l^2+2)/sqrt 2 if l^2 <= 2, else 2 lambda c C. */
double sotto__moments_diameter(double context_norm_max, double reward_max, double weight)
{
    double l = weight * reward_max / context_norm_max;
    if (l * l > 2) return 2 * weight * reward_max * context_norm_max;
    return context_norm_max * context_norm_max * (l * l + 2) / sqrt(2);
}

/* L1 diameter of (upper triangle of x x', lambda r x): C^2 (d+1) + 2 lambda c C sqrt d. */
double sotto__moments_diameter_l1(uint32_t dim, double context_norm_max, double reward_max,
                                  double weight)
{
    double square = context_norm_max * context_norm_max * (dim + 1.0);
    return square + 2 * weight * reward_max * context_norm_max * sqrt(dim);
}

/* 2^28 e^eps (1 - 2^-shave), rounded down. */
static uint64_t shaved_weight(double epsilon, int shave)
{
    return (uint64_t)floor(ldexp(exp(epsilon), 28) * (1 - ldexp(1, -shave)));
}

uint64_t sotto__weight_top(double epsilon)
{
    return shaved_weight(epsilon, 40);
}

uint64_t sotto__weight_top_max(double epsilon)
{
    return shaved_weight(epsilon, 48);
}
