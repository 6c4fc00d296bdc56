/* Special functions, from their series and continued fractions; and integrals, by quadrature. */
#include "core.h"

#include <math.h>

static const double half_log_2pi = 0.91893853320467274178;
static const double sqrt_half = 0.70710678118654752440;

/* Stirling: ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + sum B_2k/(2k (2k-1) x^(2k-1)), used for
 * x >= 12, where eight terms leave less than 1e-16; smaller x climb there by Gamma(x+1) = x Gamma.
 */
double sotto__log_gamma(double x)
{
    static const double term[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double product = 1;
    for (; x < 12; x += 1) {
        product *= x;
    }
    double inverse_square = 1 / (x * x);
    double sum = 0;
    for (int k = 7; k >= 0; k--) {
        sum = sum * inverse_square + term[k];
    }
    return (x - 0.5) * log(x) - x + half_log_2pi + sum / x - log(product);
}

double sotto__log_beta(double a, double b)
{
    return sotto__log_gamma(a) + sotto__log_gamma(b) - sotto__log_gamma(a + b);
}

/* The continued fraction 1/(1+ d1/(1+ d2/(1+ ...))) of I_x(a, b), evaluated from the front (Lentz):
 * d_2m   =  m (b-m) x / ((a+2m-1)(a+2m)),
 * d_2m+1 = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)).   Converges fast for x < (a+1)/(a+b+2): within a third of
 * `most`. Where a thread rounds another way the steps never come to 1, and it is what ends. */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300, most = fmin(100000, 100 + 8 * sqrt(a + b));
    double numerator = 1; /* ratio of successive numerators */
    double denominator = 1 - (a + b) * x / (a + 1);
    if (fabs(denominator) < tiny) denominator = tiny;
    denominator = 1 / denominator;
    double value = denominator;
    for (int m = 1; m <= most; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (int half = 0; half < 2; half++) {
            double d = half == 0 ? even : odd;
            denominator = 1 + d * denominator;
            if (fabs(denominator) < tiny) denominator = tiny;
            denominator = 1 / denominator;
            numerator = 1 + d / numerator;
            if (fabs(numerator) < tiny) numerator = tiny;
            step = numerator * denominator;
            value *= step;
        }
        if (fabs(step - 1) < 1e-16) break;
    }
    return value;
}

double sotto__incomplete_beta(double x, double a, double b)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(a * log(x) + b * log1p(-x) - sotto__log_beta(a, b));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Below -20, where erfc nears its underflow: ln Phi(x) = -x^2/2 - ln(-x) - ln(2 pi)/2
 * + ln(1 - 1/x^2 + 3/x^4 - 15/x^6 + 105/x^8), relative error of the bracket below 1e-10. */
double sotto__log_normal_cdf(double x)
{
    if (x > -20) return log(0.5 * sotto__erfc(-x * sqrt_half));
    double q = 1 / (x * x);
    double bracket = 1 - q * (1 - q * (3 - q * (15 - q * 105)));
    return -0.5 * x * x - log(-x) - half_log_2pi + log(bracket);
}

/* ---- quadrature --------------------------------------------------------------------------- */

/* Gauss-Legendre quadrature in panels: exact for polynomials of degree 15 in each. */

#define HALF (SOTTO__PANEL_NODES / 2)

sotto__node sotto__quadrature_node(double from, double to, uint32_t panels, uint32_t i)
{
    static const double node[HALF] = {0.18343464249564980494, 0.52553240991632898582,
                                      0.79666647741362673959, 0.96028985649753623168};
    static const double weight[HALF] = {0.36268378337836198297, 0.31370664587788728734,
                                        0.22238103445337447054, 0.10122853629037625915};
    double half = (to - from) / (2 * panels);
    uint32_t panel = i / SOTTO__PANEL_NODES, j = i % SOTTO__PANEL_NODES;
    double offset = j < HALF ? -node[j] : node[j - HALF];
    return (sotto__node){
        .at = from + half * (2 * panel + 1 + offset),
        .weight = half * weight[j % HALF],
    };
}
