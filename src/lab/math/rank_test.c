/*
 * The rank test. u counts the pairs whose first value is the larger. Of the C(m+n, m) orders of m
 * and n values, those with u pairs are the coefficient of q^u in
 *
 *   prod_{i=1..m} (1 - q^(n+i))/(1 - q^i)
 *
 * so that u is a sum of independent parts, and its law can be added up part by part. Here chances
 * are kept instead of counts, which may have hundreds of digits:
 *
 *   P_m,n(u) = m/(m+n) P_{m-1,n}(u - n) + n/(m+n) P_{m,n-1}(u)
 *
 * (the largest of all is a first value, and beats n, or a second). All terms are positive: nothing
 * cancels.
 */
#include "rank_test.h"

#include <math.h>
#include <stdlib.h>

/* out[u] = P(u) for m and n values, by growing n for every m. `law` has (m + 1) rows of m n + 1. */
static void fill_law(double *law, uint32_t m, uint32_t n)
{
    size_t width = (size_t)m * n + 1;
    for (uint32_t i = 0; i <= m; i++) {
        law[i * width] = 1; /* no second values: no pairs */
    }
    for (uint32_t j = 1; j <= n; j++) {
        for (uint32_t i = 1; i <= m; i++) {
            double *row = law + i * width;
            const double *fewer = row - width; /* i - 1 and j values: this j is done already */
            double first = (double)i / (i + j), second = (double)j / (i + j);
            for (size_t u = (size_t)i * j + 1; u-- > 0;) {
                double beaten = u >= j ? fewer[u - j] : 0;
                row[u] = first * beaten + second * row[u];
            }
        }
    }
}

/* Pairs whose first value is the larger; false if two are equal. */
static bool count_pairs(const double *first, uint32_t m, const double *second, uint32_t n,
                        size_t *u)
{
    *u = 0;
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (!(first[i] < second[j] || first[i] > second[j])) return false;
            *u += first[i] > second[j];
        }
    }
    return true;
}

double sotto__rank_test(const double *first, uint32_t first_count, const double *second,
                        uint32_t second_count)
{
    uint32_t m = first_count, n = second_count;
    size_t u, width = (size_t)m * n + 1;
    if (m == 0 || n == 0 || m > SOTTO__RANK_TEST_MAX || n > SOTTO__RANK_TEST_MAX) return NAN;
    if (!count_pairs(first, m, second, n, &u)) return NAN;
    double *law = calloc((m + 1) * width, sizeof *law);
    if (law == NULL) return NAN;
    fill_law(law, m, n);
    const double *chance = law + m * width;
    double below = 0, above = 0;
    for (size_t v = 0; v < width; v++) {
        if (v <= u) below += chance[v];
        if (v >= u) above += chance[v];
    }
    free(law);
    return fmin(1, 2 * fmin(below, above));
}
