/* Cholesky, solves and norms in plain C: at our sizes faster than a call to a library. */
#include "core.h"

#include <math.h>

void sotto__rows_dot(const double *rows, const double *y, uint32_t count, uint32_t n, double *out)
{
    if (n == 2) { /* a loop over so short a row costs more than its products */
        for (uint32_t i = 0; i < count; i++) {
            out[i] = rows[2 * (size_t)i] * y[0] + rows[2 * (size_t)i + 1] * y[1];
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = sotto__dot(rows + (size_t)i * n, y, n);
    }
}

double sotto__norm(const double *x, uint32_t n)
{
    double squares = sotto__dot(x, x, n);
    if (squares > 1e-280 && squares < 1e280) return sqrt(squares);

    double largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        largest = sotto__at_least(fabs(x[i]), largest);
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

/* L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj for j from `first` to i - 1. */
static void factor_entries(const double *a, double *row, uint32_t first, uint32_t i)
{
    for (uint32_t j = first; j < i; j++) {
        const double *above = a + sotto__tri_count(j);
        row[j] = (row[j] - sotto__dot(row, above, j)) * (1 / above[j]);
    }
}

/* The same for entries j to j + 3 of rows i to i + 3, p to s. The sums of one row depend on each
 * other; these sixteen do not, and two rows go at once. Every sum adds its products in the order
 * of k. */
static void factor_square(double *a, uint32_t i, uint32_t j)
{
    double *p = a + sotto__tri_count(i), *q = p + i + 1, *r = q + i + 2, *s = r + i + 3;
    const double *above[4];
    sotto__pair pq[4], rs[4];
    for (uint32_t c = 0; c < 4; c++) {
        above[c] = a + sotto__tri_count(j + c);
        pq[c] = rs[c] = (sotto__pair){0, 0};
    }
    for (size_t k = 0; k < j; k++) {
        sotto__pair pq_k = {p[k], q[k]}, rs_k = {r[k], s[k]};
        for (uint32_t c = 0; c < 4; c++) {
            pq[c] += pq_k * above[c][k];
            rs[c] += rs_k * above[c][k];
        }
    }
    for (uint32_t c = 0; c < 4; c++) {
        size_t k = j + c;
        double inverse = 1 / above[c][k];
        sotto__pair pq_k = ((sotto__pair){p[k], q[k]} - pq[c]) * inverse;
        sotto__pair rs_k = ((sotto__pair){r[k], s[k]} - rs[c]) * inverse;
        p[k] = pq_k[0], q[k] = pq_k[1], r[k] = rs_k[0], s[k] = rs_k[1];
        for (uint32_t later = c + 1; later < 4; later++) {
            pq[later] += pq_k * above[later][k];
            rs[later] += rs_k * above[later][k];
        }
    }
}

/* L_ii = sqrt(A_ii - sum_{k<i} L_ik^2). */
bool sotto__cholesky(double *a, uint32_t n)
{
    uint32_t ready = 0; /* rows before this one have their first entries already */
    for (uint32_t i = 0; i < n; i++) {
        double *row = a + sotto__tri_count(i);
        if (i % 4 == 0 && i + 4 <= n) {
            for (uint32_t j = 0; j < i; j += 4) {
                factor_square(a, i, j);
            }
            ready = i + 4;
        }
        factor_entries(a, row, i < ready ? i / 4 * 4 : 0, i);
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
        y[i] = (b[i] - sotto__dot(row, y, i)) * (1 / row[i]);
    }
}

void sotto__cholesky_solve(const double *factor, const double *b, double *x, uint32_t n)
{
    forward(factor, b, x, n);
    /* L' x = y from the bottom, subtracting each finished x_i from the rows above it. */
    for (uint32_t i = n; i-- > 0;) {
        const double *row = factor + sotto__tri_count(i);
        x[i] *= 1 / row[i];
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

/* y -= the sum of four multiples of rows that stand `stride` apart, or of one. */
static void subtract_four(double *restrict y, const double *restrict row, uint32_t stride,
                          const double *restrict m, uint32_t n)
{
    const double *a = row, *b = a + stride, *c = b + stride, *d = c + stride;
    for (uint32_t i = 0; i < n; i++) {
        y[i] -= (m[0] * a[i] + m[1] * b[i]) + (m[2] * c[i] + m[3] * d[i]);
    }
}

static void subtract_one(double *restrict y, const double *restrict row, double m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] -= m * row[i];
    }
}

/* How many rows of X are not all 0 in their first k entries, if row c begins with c x `zeros`
 * zeros. */
static inline uint32_t rows_begun(uint32_t k, uint32_t zeros, uint32_t count)
{
    if (zeros == 0) return count;
    uint32_t begun = (k + zeros - 1) / zeros;
    return begun < count ? begun : count;
}

/* L Y = X' for all rows of X at once: while one waits for a result, the others compute. Y is stored
 * row by row, with one column per row of X. Products that are 0 are left out. */
static inline void forms(const double *factor, const double *rows, uint32_t count, uint32_t n,
                         uint32_t zeros, double *scratch, double *out)
{
    for (uint32_t c = 0; c < count; c++) {
        out[c] = 0;
        for (uint32_t i = 0; i < n; i++) {
            scratch[(size_t)i * count + c] = rows[(size_t)c * n + i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const double *row = factor + sotto__tri_count(i);
        double *y = scratch + (size_t)i * count, inverse = 1 / row[i];
        uint32_t k = 0;
        for (; k + 4 <= i; k += 4) {
            uint32_t begun = rows_begun(k + 4, zeros, count);
            subtract_four(y, scratch + (size_t)k * count, count, row + k, begun);
        }
        for (; k < i; k++) {
            subtract_one(y, scratch + (size_t)k * count, row[k], rows_begun(k + 1, zeros, count));
        }
        for (uint32_t c = 0; c < rows_begun(i + 1, zeros, count); c++) {
            y[c] *= inverse;
            out[c] += y[c] * y[c];
        }
    }
}

void sotto__inverse_forms(const double *factor, const double *rows, uint32_t count, uint32_t n,
                          double *scratch, double *out)
{
    forms(factor, rows, count, n, 0, scratch, out);
}

void sotto__inverse_forms_of_blocks(const double *factor, const double *rows, uint32_t count,
                                    uint32_t n, double *scratch, double *out)
{
    forms(factor, rows, count, n, n / count, scratch, out);
}
