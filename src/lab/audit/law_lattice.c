/*
 * Layer 1 of lattice noise, in ticks n, every coordinate by itself:
 *
 *   gaussian   N(0, sigma^2) rounded:  P(N <= n) = Phi((n + 1/2)/sigma), variance sigma^2 + 1/12
 *   laplace    P(n) ~ q^|n|, q = e^(-1/b):  P(N <= -m) = q^m/(1 + q), variance 2q/(1-q)^2
 */
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

#define BINS_MAX 64u
#define LARGE 0.6 /* sd: about half of the noise is larger, of either law */

typedef struct coordinate {
    double f;                       /* what the noise is added to */
    double sum, squares, neighbour; /* in standard deviations */
    sotto__lags lags, sizes;        /* of the noise, and of whether it is large */
    uint64_t tail[2], zeros;
    uint64_t bin[BINS_MAX];
} coordinate;

typedef struct lattice_law {
    sotto__law base; /* first, so that a pointer to it is a pointer to the whole */
    sotto_noise_law kind;
    double scale, deviation, kurtosis;
    uint32_t dim, bins;
    double edge[BINS_MAX];   /* bin i holds edge[i] <= n < edge[i+1]; edge[0] is -infinity */
    double chance[BINS_MAX]; /* of bin i */
    double tail_at[2], tail_chance[2], zero_chance;
    uint64_t count;
    double total_squares; /* of the sum over coordinates */
    coordinate *at;       /* dim */
} lattice_law;

/* P(N <= n), n whole and not above 0. */
static double lower_tail(const lattice_law *law, double n)
{
    if (law->kind == SOTTO_NOISE_GAUSSIAN) return sotto__normal_tail(-(n + 0.5) / law->scale);
    return exp(n / law->scale) / (1 + exp(-1 / law->scale));
}

/* P(N < n), n whole: by symmetry P(N <= -n) above 0. */
static double chance_below(const lattice_law *law, double n)
{
    return n > 0 ? 1 - lower_tail(law, -n) : lower_tail(law, n - 1);
}

/* The whole number nearest to the quantile of the continuous law. */
static double edge_at(const lattice_law *law, double p)
{
    if (law->kind == SOTTO_NOISE_GAUSSIAN) return rint(law->scale * sotto__normal_quantile(p));
    return rint(law->scale * (p < 0.5 ? log(2 * p) : -log(2 * (1 - p))));
}

static void fix_law(lattice_law *law, uint64_t trials)
{
    double q = exp(-1 / law->scale);
    bool gaussian = law->kind == SOTTO_NOISE_GAUSSIAN;
    double variance = gaussian ? law->scale * law->scale + 1.0 / 12 : 2 * q / ((1 - q) * (1 - q));
    law->deviation = sqrt(variance);
    law->kurtosis = gaussian ? 3 : 6;
    law->bins = trials / 50 < BINS_MAX ? (uint32_t)(trials / 50) : BINS_MAX;
    double below = 0;
    for (uint32_t i = 0; i < law->bins; i++) {
        law->edge[i] = i == 0 ? -INFINITY : edge_at(law, (double)i / law->bins);
        bool last = i + 1 == law->bins;
        double next = last ? 1 : chance_below(law, edge_at(law, (i + 1.0) / law->bins));
        law->chance[i] = next - below;
        below = next;
    }
    for (int k = 0; k < 2; k++) {
        law->tail_at[k] = ceil((3 + k) * law->deviation);
        law->tail_chance[k] = 2 * lower_tail(law, -law->tail_at[k]);
    }
    law->zero_chance = chance_below(law, 1) - chance_below(law, 0);
}

static void count_bin(const lattice_law *law, coordinate *at, double n)
{
    uint32_t lo = 0, hi = law->bins;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (n >= law->edge[middle]) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    at->bin[lo]++;
}

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer)
{
    lattice_law *law = (lattice_law *)taker;
    double total = 0, left = 0;
    for (uint32_t i = 0; i < law->dim; i++) {
        coordinate *at = &law->at[i];
        double n = answer->value[i] - at->f, z = n / law->deviation;
        at->sum += z;
        at->squares += z * z;
        at->neighbour += left * z;
        sotto__lags_add(&at->lags, z);
        sotto__lags_add(&at->sizes, fabs(z) > LARGE ? 1 : -1);
        count_bin(law, at, n);
        at->zeros += n == 0;
        for (int k = 0; k < 2; k++) {
            at->tail[k] += fabs(n) >= law->tail_at[k];
        }
        total += z;
        left = z;
    }
    law->total_squares += total * total / law->dim;
    law->count = t + 1;
    return SOTTO_OK;
}

/* The worst coordinate of a row. */
typedef struct worst {
    double measured, p;
} worst;

static void worse(worst *w, double measured, double p)
{
    if (p < w->p || w->p > 1) *w = (worst){measured, p};
}

static double chi_square_of(const lattice_law *law, const coordinate *at)
{
    double chi = 0;
    for (uint32_t i = 0; i < law->bins; i++) {
        double expected = law->chance[i] * (double)law->count;
        chi += ((double)at->bin[i] - expected) * ((double)at->bin[i] - expected) / expected;
    }
    return chi;
}

static void lag_rows(const lattice_law *law, sotto_audit_result *result)
{
    sotto__worst_lag noise = {.p = 2}, size = {.p = 2};
    for (uint32_t i = 0; i < law->dim; i++) {
        coordinate *at = &law->at[i];
        sotto__lags_end(&at->lags);
        sotto__lags_end(&at->sizes);
        sotto__worst_lag found = sotto__lags_worst(&at->lags);
        if (found.p < noise.p) noise = found;
        found = sotto__lags_worst(&at->sizes);
        if (found.p < size.p) size = found;
    }
    sotto__law_lag_row(result, "correlation with the report", &noise, law->dim);
    sotto__law_lag_row(result, "correlation of the noise's size with that", &size, law->dim);
}

static void rows(sotto__law *base, sotto_audit_result *result)
{
    const lattice_law *law = (const lattice_law *)base;
    enum { MEAN, VARIANCE, BINS, TAIL_3, TAIL_4, ZERO, NEIGHBOUR, ROWS };
    static const char *const name[ROWS] = {
        [MEAN] = "mean of the noise (in sd)",
        [VARIANCE] = "variance of the noise (over the law's)",
        [BINS] = "noise in bins (chi-square a bin)",
        [TAIL_3] = "noise beyond 3 sd (share)",
        [TAIL_4] = "noise beyond 4 sd (share)",
        [ZERO] = "noise that is 0 (share)",
        [NEIGHBOUR] = "correlation of neighbouring ticks",
    };
    double n = (double)law->count;
    const double expected[ROWS] = {[VARIANCE] = 1,
                                   [BINS] = 1,
                                   [TAIL_3] = law->tail_chance[0],
                                   [TAIL_4] = law->tail_chance[1],
                                   [ZERO] = law->zero_chance};
    worst w[ROWS];
    for (int row = 0; row < ROWS; row++) {
        w[row] = (worst){0, 2};
    }
    for (uint32_t i = 0; i < law->dim; i++) {
        const coordinate *at = &law->at[i];
        double mean = at->sum / n, square = at->squares / n, next = at->neighbour / n;
        double chi = chi_square_of(law, at);
        worse(&w[MEAN], mean, sotto__two_sided(mean * sqrt(n)));
        worse(&w[VARIANCE], square, sotto__variance_p(square, law->count, law->kurtosis));
        worse(&w[BINS], chi / law->bins, sotto__chi_square_tail(chi, law->bins - 1));
        for (int k = 0; k < 2; k++) {
            worse(&w[TAIL_3 + k], (double)at->tail[k] / n,
                  sotto__binomial_p(at->tail[k], law->count, law->tail_chance[k]));
        }
        worse(&w[ZERO], (double)at->zeros / n,
              sotto__binomial_p(at->zeros, law->count, law->zero_chance));
        if (i > 0) worse(&w[NEIGHBOUR], next, sotto__two_sided(next * sqrt(n)));
    }
    for (int row = 0; row < ROWS - (law->dim == 1); row++) {
        sotto__law_row(result, name[row], w[row].measured, expected[row],
                       sotto__smallest_p(w[row].p, law->dim));
    }
    lag_rows(law, result);
    double total = law->total_squares / n, kurtosis = 3 + (law->kurtosis - 3) / law->dim;
    sotto__law_row(result, "variance of the sum of all ticks (over the law's)", total, 1,
                   sotto__variance_p(total, law->count, kurtosis));
}

static void release(sotto__law *base)
{
    free(((lattice_law *)base)->at);
    free(base);
}

sotto_status sotto__law_lattice(const sotto__privacy_claim *claim, const double *x, uint64_t trials,
                                sotto__law **out)
{
    *out = NULL;
    lattice_law *law = calloc(1, sizeof *law);
    double *f = malloc(claim->dim * sizeof *f);
    if (law != NULL) law->at = calloc(claim->dim, sizeof law->at[0]);
    if (law == NULL || f == NULL || law->at == NULL) {
        if (law != NULL) release(&law->base);
        free(f);
        return SOTTO_E_MEMORY;
    }
    law->base = (sotto__law){.taker = {take}, .rows = rows, .free = release};
    law->kind = claim->law;
    law->scale = claim->lattice.scale_ticks;
    law->dim = claim->dim;
    fix_law(law, trials);
    sotto__lattice_statistic(claim, x, f);
    for (uint32_t i = 0; i < law->dim; i++) {
        law->at[i].f = f[i];
    }
    free(f);
    *out = &law->base;
    return SOTTO_OK;
}
