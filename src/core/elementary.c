#include "core.h"

#include <math.h>

/* ==== elementary ============================================================================= */

/* Functions made of exp and log. */

/* Kahan: with u = e^x rounded, u = e^y for y = ln u, and (u - 1)/y is nearly (e^x - 1)/x. */
double sotto__expm1(double x)
{
    double u = exp(x);
    if (u == 1) return x;
    if (isinf(u) || u - 1 == -1) return u - 1;
    return (u - 1) * x / log(u);
}

/* Kahan: with u = 1 + x rounded, off by e = (u - 1) - x: ln(1 + x) = ln u + ln(1 - e/u), nearly ln u - e/u. */
double sotto__log1p(double x)
{
    double u = 1 + x;
    if (isinf(u) || u == 0) return log(u);
    return log(u) - ((u - 1) - x) / u;
}

/* One step of Newton's method from e^(ln(x)/3), which is off by some units in the last place. */
double sotto__cbrt(double x)
{
    if (x == 0 || isinf(x)) return x;
    double y = exp(log(x) / 3);
    return y - (y - x / (y * y)) / 3;
}

/* ==== erfc =================================================================================== */

/* erfc from + - * / alone: these give the same bits on every machine. */

/* erf(x) = 2/sqrt(pi) sum_n (-1)^n x^(2n+1)/(n! (2n+1)), for |x| < 1/2. What the 13 terms leave out
 * is below 2e-19 x. */
static double erf_near_zero(double x)
{
    static const double term[] = {1,
                                  -1.0 / 3,
                                  1.0 / 10,
                                  -1.0 / 42,
                                  1.0 / 216,
                                  -1.0 / 1320,
                                  1.0 / 9360,
                                  -1.0 / 75600,
                                  1.0 / 685440,
                                  -1.0 / 6894720,
                                  1.0 / 76204800,
                                  -1.0 / 918086400,
                                  1.0 / 11975040000};
    double square = x * x, sum = 0;
    for (int n = 12; n >= 0; n--) {
        sum = sum * square + term[n];
    }
    return 1.12837916709551257390 * x * sum;
}

/* e^(-x^2) = m 2^k, 1/2 <= x <= 28; returns m, a number between 0.7 and 1.42. With h = x in 24 bits,
 * h^2 is exact and x^2 = h^2 + (x - h)(x + h). With k the integer nearest to -h^2/ln 2, and ln 2 in
 * two parts, the first of 32 bits, r = -x^2 - k ln 2 is below 0.35. Then m = sum_n r^n/n!, whose
 * terms after the 13th are below 5e-18; even and odd powers are summed side by side. */
static double exp_of_minus_square(double x, int *k)
{
    static const double even[] = {1.0 / 2,     1.0 / 24,      1.0 / 720,
                                  1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600};
    static const double odd[] = {1.0 / 6,      1.0 / 120,      1.0 / 5040,
                                 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800};
    const double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;
    double h = (double)(float)x, rest = (x - h) * (x + h);
    double whole = rint(-h * h * 1.44269504088896340736);
    double r = (-h * h - whole * ln2_first) - (whole * ln2_rest + rest);
    double square = r * r, of_even = 0, of_odd = 0;
    for (int n = 5; n >= 0; n--) {
        of_even = of_even * square + even[n];
        of_odd = of_odd * square + odd[n];
    }
    *k = (int)whole;
    return 1 + (r + square * (of_even + r * of_odd));
}

/* (1 + 2 x) e^(x^2) erfc(x) for 1/2 <= x <= 28, a number between 1.1 and 1.3: its Chebyshev series
 * in s = (69 x - 227)/(55 (x + 3)), summed from behind (Clenshaw). What the 23 terms leave out is
 * below 1.4e-18. make_erfc_terms.py computed them. */
static double scaled(double x)
{
    static const double term[] = {
        1.2232758877738734,       -0.0598526084891785932,   -0.028412712737120566,
        0.0170315034925785437,    -0.00514788938044385688,  0.00102469554116893492,
        -0.000127378853882149022, 5.13045720985313881e-6,   1.29986730813359908e-6,
        -2.13625284489584936e-7,  -6.42601785773583432e-9,  4.50364540621119029e-9,
        -7.40109298660481016e-11, -9.51496170715351429e-11, 3.39798830305910109e-12,
        2.24869565546879294e-12,  -7.18208869685433153e-14, -5.93353996388531594e-14,
        3.62134257281641985e-16,  1.65935631591179035e-15,  6.39987643488040602e-17,
        -4.55457098355842328e-17, -4.74145311997308913e-18,
    };
    double s = (69 * x - 227) / (55 * (x + 3)), twice = 2 * s, sum = 0, next = 0;
    for (int n = (int)(sizeof term / sizeof term[0]) - 1; n >= 1; n--) {
        double now = twice * sum - next + term[n];
        next = sum;
        sum = now;
    }
    return s * sum - next + term[0];
}

double sotto__erfc(double x)
{
    double size = fabs(x);
    if (size < 0.5) return 1 - erf_near_zero(x);
    if (isnan(x)) return x;
    if (size > 28) return x > 0 ? 0 : 2; /* no other double is nearer */
    int k;
    double m = exp_of_minus_square(size, &k);
    double above = ldexp(m * scaled(size) / (1 + 2 * size), k);
    return x > 0 ? above : 2 - above;
}
