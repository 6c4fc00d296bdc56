#include "core/core.h"
#include "math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== moments ================================================================================ */

/* Means, deviations, quantiles, slopes. */

double sotto__mean_of(const double *x, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    return count > 0 ? sum / count : NAN;
}

double sotto__deviation(const double *x, uint32_t count)
{
    double mean = sotto__mean_of(x, count), squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return count > 1 ? sqrt(squares / (count - 1)) : NAN;
}

double sotto__standard_error(const double *x, uint32_t count)
{
    return sotto__deviation(x, count) / sqrt(count);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void sotto__sort(double *x, uint32_t count)
{
    if (count > 0) qsort(x, count, sizeof *x, compare);
}

double sotto__quantile(const double *sorted, uint32_t count, double p)
{
    if (count == 0) return NAN;
    double place = p * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

double sotto__slope(const double *x, const double *y, uint32_t count)
{
    double middle_x = sotto__mean_of(x, count), middle_y = sotto__mean_of(y, count);
    double products = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        products += (x[i] - middle_x) * (y[i] - middle_y);
        squares += (x[i] - middle_x) * (x[i] - middle_x);
    }
    return squares > 0 ? products / squares : NAN;
}

/* ==== rank test ============================================================================== */

/*
 * The rank test. u counts the pairs whose first value is the larger. Of the C(m+n, m) orders of m
 * and n values, the number with u pairs is the coefficient of q^u in
 *
 *   prod_{i=1..m} (1 - q^(n+i))/(1 - q^i)
 *
 * so u is a sum of independent parts, and its law can be computed part by part. The recursion uses
 * probabilities instead of counts, which may have hundreds of digits:
 *
 *   P_m,n(u) = m/(m+n) P_{m-1,n}(u - n) + n/(m+n) P_{m,n-1}(u)
 *
 * (the largest value is either a first one, which beats n others, or a second one). All terms are
 * positive, so nothing cancels.
 */

/* out[u] = P(u) for m and n values, computed by increasing n for every m. `law` has (m + 1) rows of
 * m n + 1. */
static void fill_law(double *law, uint32_t m, uint32_t n)
{
    size_t width = (size_t)m * n + 1;
    for (uint32_t i = 0; i <= m; i++) {
        law[i * width] = 1; /* no second values: no pairs */
    }
    for (uint32_t j = 1; j <= n; j++) {
        for (uint32_t i = 1; i <= m; i++) {
            double *row = law + i * width;
            const double *fewer = row - width; /* i - 1 and j values, already updated for this j */
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

/* ==== statistics ============================================================================= */

/* Distributions and confidence bounds. */

static const double sqrt_half = 0.70710678118654752440;

double sotto__normal_tail(double x)
{
    return 0.5 * sotto__erfc(x * sqrt_half);
}

/* Bisection on ln Phi, so that the quantile of a small p keeps all its digits. */
double sotto__normal_quantile(double p)
{
    double wanted = log(fmin(p, 1 - p)), lo = -40, hi = 0;
    while (hi - lo > 1e-14 * (1 + fabs(lo))) {
        double middle = (lo + hi) / 2;
        if (sotto__log_normal_cdf(middle) < wanted) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return p > 0.5 ? -(lo + hi) / 2 : (lo + hi) / 2;
}

double sotto__two_sided(double z)
{
    return sotto__erfc(fabs(z) * sqrt_half);
}

/* Q(a, y), a = freedom/2, y = x/2: the series of P below a + 1, the continued fraction above. */
double sotto__chi_square_tail(double x, double freedom)
{
    double a = freedom / 2, y = x / 2;
    if (!(y > 0)) return 1;
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

double sotto__beta_inverse(double p, double a, double b)
{
    double lo = 0, hi = 1;
    for (int i = 0; i < 1100 && hi - lo > 1e-15 * hi; i++) {
        double middle = (lo + hi) / 2;
        if (sotto__incomplete_beta(middle, a, b) < p) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return (lo + hi) / 2;
}

/* BetaInv(alpha; k, n - k + 1) */
double sotto__chance_lower(uint64_t k, uint64_t n, double alpha)
{
    if (k == 0) return 0;
    return sotto__beta_inverse(alpha, (double)k, (double)(n - k) + 1);
}

/* BetaInv(1 - alpha; k + 1, n - k), computed as 1 - BetaInv(alpha; n - k, k + 1) so that a small
 * alpha keeps all its digits. */
double sotto__chance_upper(uint64_t k, uint64_t n, double alpha)
{
    return 1 - sotto__chance_lower(n - k, n, alpha);
}

/* P(X >= k) = I_p(k, n - k + 1) */
double sotto__binomial_tail(uint64_t k, uint64_t n, double chance)
{
    if (k == 0) return 1;
    return sotto__incomplete_beta(chance, (double)k, (double)(n - k) + 1);
}

double sotto__binomial_p(uint64_t k, uint64_t n, double chance)
{
    double above = sotto__binomial_tail(k, n, chance);
    double below = sotto__binomial_tail(n - k, n, 1 - chance);
    return fmin(1, 2 * fmin(above, below));
}

/* Neighbouring places are merged until each group expects 10. With fewer, the tail of the statistic
 * is heavier than chi-square's. */
double sotto__uniform_p(const uint64_t *count, uint32_t places)
{
    uint64_t total = 0;
    double chi = 0;
    for (uint32_t i = 0; i < places; i++) {
        total += count[i];
    }
    uint32_t width = 1, groups = 0;
    while (width < places && (double)total * width < 10.0 * places) {
        width++;
    }
    for (uint32_t start = 0; start < places; start += width) {
        uint32_t end = places - start < width ? places : start + width;
        double expected = (double)total * (end - start) / places, off = -expected;
        for (uint32_t i = start; i < end; i++) {
            off += (double)count[i];
        }
        chi += expected > 0 ? off * off / expected : 0;
        groups++;
    }
    return groups < 2 ? 1 : sotto__chi_square_tail(chi, groups - 1);
}

/* The mean square has variance (kurtosis - 1)/n: like chi-square/nu with nu = 2n/(kurtosis - 1)
 * degrees, whose cube root is nearly normal (Wilson and Hilferty). */
double sotto__variance_p(double mean_square, uint64_t count, double kurtosis)
{
    double spread = (kurtosis - 1) / (9 * (double)count); /* 2/(9 nu) */
    return sotto__two_sided((sotto__cbrt(mean_square) - (1 - spread)) / sqrt(spread));
}

double sotto__smallest_p(double p, double rows)
{
    return fmin(1, p * rows);
}

/* ==== lags =================================================================================== */

/*
 * For a sequence y_1 .. y_n of independent numbers with mean m and variance v, of any law,
 *
 *   r_k = (1/(n - k) sum_t y_t y_(t-k) - m^2)/v
 *
 * is about normal with mean 0 and variance 1/(n - k). m and v are those of the sequence. Sequences
 * may differ in both, so each gives its own z_k = r_k sqrt(n - k). The sum of the z_k over the root
 * of their number is normal again.
 */

#define PARTS_MAX 4096u /* floats lose no relevant precision in this many additions */

static void add_parts(sotto__lags *lags)
{
    for (uint32_t k = 0; k < SOTTO__LAGS; k++) {
        lags->sum[k] += (double)lags->part[k];
        lags->part[k] = 0;
    }
    lags->parts = 0;
}

/* Moves the past to the end of its room, from where it grows downwards again. */
static void make_room(sotto__lags *lags)
{
    uint32_t end = SOTTO__LAGS_PAST - SOTTO__LAGS;
    memmove(lags->past + end, lags->past, SOTTO__LAGS * sizeof lags->past[0]);
    lags->newest = end;
}

/* The products do not depend on each other, so that compilers can vectorise the loop. */
static void add_products(float *restrict part, const float *restrict past, float now)
{
    for (uint32_t k = 0; k < SOTTO__LAGS; k++) {
        part[k] += now * past[k];
    }
}

void sotto__lags_add(sotto__lags *lags, double y)
{
    float now = (float)y;
    add_products(lags->part, lags->past + lags->newest, now);
    if (lags->newest == 0) make_room(lags);
    lags->past[--lags->newest] = now;
    lags->total += y;
    lags->squares += y * y;
    lags->count++;
    if (++lags->parts == PARTS_MAX) add_parts(lags);
}

void sotto__lags_end(sotto__lags *lags)
{
    add_parts(lags);
    double n = (double)lags->count, mean = n > 0 ? lags->total / n : 0;
    double variance = n > 0 ? lags->squares / n - mean * mean : 0;
    bool varies = variance > 1e-9 * mean * mean;
    for (uint32_t k = 1; k <= SOTTO__LAGS && varies; k++) {
        double products = n - k;
        if (products < 2) break;
        lags->z[k - 1] += (lags->sum[k - 1] / products - mean * mean) / variance * sqrt(products);
    }
    lags->sequences += varies;
    lags->all += lags->count;
    memset(lags->past, 0, sizeof lags->past);
    memset(lags->sum, 0, sizeof lags->sum);
    lags->newest = 0;
    lags->total = lags->squares = 0;
    lags->count = 0;
}

sotto__worst_lag sotto__lags_worst(const sotto__lags *lags)
{
    sotto__worst_lag worst = {.lag = 1, .correlation = 0, .p = 1};
    for (uint32_t k = 1; k <= SOTTO__LAGS && lags->sequences > 0; k++) {
        double z = lags->z[k - 1] / sqrt(lags->sequences), p = sotto__two_sided(z);
        if (p >= worst.p) continue;
        worst = (sotto__worst_lag){k, z / sqrt((double)lags->all), p};
    }
    worst.p = sotto__smallest_p(worst.p, SOTTO__LAGS);
    return worst;
}
