/* Functions made of exp and log. */
#include "elementary.h"

#include <math.h>

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
