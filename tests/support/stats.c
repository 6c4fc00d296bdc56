/* The statistics of statistical tests. */
#include "stats.h"
#include "special.h"

#include <math.h>

/* Q(a, x), a = freedom/2, x = chi/2: the series of P below a + 1, the continued fraction above. */
double chi_square_tail(double x, double freedom)
{
    double a = freedom / 2, y = x / 2;
    if (y <= 0) return 1;
    double front = exp(a * log(y) - y - sotto__log_gamma(a));
    if (y < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 100000 && term > sum * 1e-17; n++) {
            term *= y / (a + n);
            sum += term;
        }
        return 1 - front * sum;
    }
    /* Q = front / (y + 1 - a - 1(1-a)/(y + 3 - a - 2(2-a)/(y + 5 - a - ...))), from behind. */
    double fraction = 0;
    for (int n = 2000; n >= 1; n--) {
        fraction = n * (n - a) / (y + 2 * n + 1 - a - fraction);
    }
    return front / (y + 1 - a - fraction);
}

void running_add(running *r, double x)
{
    r->count++;
    double step = x - r->mean;
    r->mean += step / (double)r->count;
    r->squares += step * (x - r->mean);
}

double running_standard_error(const running *r)
{
    double n = (double)r->count;
    return sqrt(r->squares / (n - 1) / n);
}
