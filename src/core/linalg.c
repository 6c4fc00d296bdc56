/* Cholesky, solves and norms in plain C: at our sizes faster than a call to a library. */
#include "linalg.h"

#include <math.h>

double sotto__dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double sotto__norm(const double *x, uint32_t n)
{
    double squares = sotto__dot(x, x, n);
    if (squares > 1e-280 && squares < 1e280) return sqrt(squares);

    double largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest == 0) return 0;
    /* Scaling by a power of two is exact, also for the smallest denormals. */
    int exponent = ilogb(largest);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double scaled = scalbn(x[i], -exponent);
        sum += scaled * scaled;
    }
    return scalbn(sqrt(sum), exponent);
}

/* L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj,   L_ii = sqrt(A_ii - sum_{k<i} L_ik^2). */
bool sotto__cholesky(double *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = a + sotto__tri_count(i);
        for (uint32_t j = 0; j < i; j++) {
            const double *above = a + sotto__tri_count(j);
            row[j] = (row[j] - sotto__dot(row, above, j)) / above[j];
        }
        double pivot = row[i] - sotto__dot(row, row, i);
        if (!(pivot > 0 && isfinite(pivot))) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

/* L y = b from the top. */
static void forward(const double *factor, const double *b, double *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const double *row = factor + sotto__tri_count(i);
        y[i] = (b[i] - sotto__dot(row, y, i)) / row[i];
    }
}

void sotto__cholesky_solve(const double *factor, const double *b, double *x, uint32_t n)
{
    forward(factor, b, x, n);
    /* L' x = y from the bottom, subtracting each finished x_i from the rows above it. */
    for (uint32_t i = n; i-- > 0;) {
        const double *row = factor + sotto__tri_count(i);
        x[i] /= row[i];
        for (uint32_t j = 0; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

double sotto__inverse_form(const double *factor, const double *x, double *scratch, uint32_t n)
{
    forward(factor, x, scratch, n);
    return sotto__dot(scratch, scratch, n);
}
