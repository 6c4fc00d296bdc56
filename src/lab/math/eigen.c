/*
 * Extreme eigenvalues in two steps. Householder reflections make A tridiagonal, last row first
 * (Golub and Van Loan, 8.3): with u the row left of the diagonal, its last entry moved by its norm,
 *
 *     H = u'u/2,   p = A u/H,   q = p - (u'p/2H) u,   A <- A - q u' - u q'
 *
 * Then bisection on how many eigenvalues lie below a number, which Sturm's recurrence counts: the
 * negative ones among q_i = d_i - x - e_i^2/q_(i-1).
 */
#include "core/core.h"
#include "math.h"

#include <math.h>
#include <string.h>

/* p = A u, A the leading i x i block. */
static void multiply(const double *a, const double *u, uint32_t i, double *p)
{
    memset(p, 0, i * sizeof *p);
    for (uint32_t j = 0; j < i; j++) {
        const double *row = a + sotto__tri_count(j);
        p[j] += sotto__dot(row, u, j + 1);
        for (uint32_t k = 0; k < j; k++) {
            p[k] += row[k] * u[j];
        }
    }
}

/* Reflects the leading i x i block so that row i has only one number left of the diagonal, and
 * returns that number. */
static double reflect(double *a, uint32_t i, double *p)
{
    double *u = a + sotto__tri_count(i);
    double last = u[i - 1], squares = sotto__dot(u, u, i);
    if (squares < 1e-300) return 0; /* the row is practically zero */
    double left = -copysign(sqrt(squares), last);
    double h = squares - last * left;
    u[i - 1] = last - left;
    multiply(a, u, i, p);
    double pull = sotto__dot(u, p, i) / (2 * h * h);
    for (uint32_t j = 0; j < i; j++) {
        p[j] = p[j] / h - pull * u[j];
    }
    for (uint32_t j = 0; j < i; j++) {
        double *row = a + sotto__tri_count(j);
        for (uint32_t k = 0; k <= j; k++) {
            row[k] -= u[j] * p[k] + p[j] * u[k];
        }
    }
    return left;
}

/* How many eigenvalues of the tridiagonal (d, e) lie below x. e[0] is 0. */
static uint32_t count_below(const double *d, const double *e, uint32_t n, double x)
{
    uint32_t count = 0;
    double q = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (q == 0) q = 0x1p-1000; /* x is an eigenvalue of the block above */
        q = d[i] - x - e[i] * e[i] / q;
        if (q < 0) count++;
    }
    return count;
}

/* The eigenvalue with `rank` others below it, known to be within +-bound. */
static double eigenvalue(const double *d, const double *e, uint32_t n, uint32_t rank, double bound)
{
    double lo = -bound, hi = bound;
    for (int i = 0; i < 100; i++) { /* 2^-100 of the bound is less than its rounding error */
        double middle = (lo + hi) / 2;
        if (count_below(d, e, n, middle) > rank) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return (lo + hi) / 2;
}

sotto__extremes sotto__eigen_extremes(double *a, uint32_t n, double *scratch)
{
    double *d = scratch, *e = scratch + n;
    for (uint32_t i = n - 1; i > 0; i--) {
        e[i] = reflect(a, i, d); /* d is not in use yet */
    }
    e[0] = 0;
    double bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        d[i] = a[sotto__tri_count(i) + i];
        /* Gershgorin's discs */
        double beside = fabs(e[i]) + (i + 1 < n ? fabs(e[i + 1]) : 0);
        bound = fmax(bound, fabs(d[i]) + beside);
    }
    return (sotto__extremes){eigenvalue(d, e, n, 0, bound), eigenvalue(d, e, n, n - 1, bound)};
}
