/* Layer 1: the law of each family's answers. */
#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

/* ==== lattice ================================================================================ */

/*
 * Layer 1 of lattice noise, in ticks n, every coordinate by itself:
 *
 *   gaussian   N(0, sigma^2) rounded:  P(N <= n) = Phi((n + 1/2)/sigma), variance sigma^2 + 1/12
 *   laplace    P(n) ~ q^|n|, q = e^(-1/b):  P(N <= -m) = q^m/(1 + q), variance 2q/(1-q)^2
 */

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

static sotto_status lattice_take(sotto__taker *taker, uint64_t t,
                                 const sotto__subject_answer *answer)
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
typedef struct row_worst {
    double measured, p;
} row_worst;

static void worse(row_worst *w, double measured, double p)
{
    if (p < w->p || w->p > 1) *w = (row_worst){measured, p};
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

static void lattice_rows(sotto__law *base, sotto_audit_result *result)
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
    row_worst w[ROWS];
    for (int row = 0; row < ROWS; row++) {
        w[row] = (row_worst){0, 2};
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

static void lattice_release(sotto__law *base)
{
    free(((lattice_law *)base)->at);
    free(base);
}

static sotto_status lattice_new(const sotto__privacy_claim *claim, const double *x, uint64_t trials,
                                sotto__law **out)
{
    *out = NULL;
    lattice_law *law = calloc(1, sizeof *law);
    double *f = malloc(claim->dim * sizeof *f);
    if (law != NULL) law->at = calloc(claim->dim, sizeof law->at[0]);
    if (law == NULL || f == NULL || law->at == NULL) {
        if (law != NULL) lattice_release(&law->base);
        free(f);
        return SOTTO_E_MEMORY;
    }
    law->base =
        (sotto__law){.taker = {lattice_take}, .rows = lattice_rows, .free = lattice_release};
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

/* ==== codebook =============================================================================== */

/*
 * Layer 1 of the codebook. For each nonce, rank the codewords by nearness to x. The index is in TOP
 * with chance k w_top/W. Its rank within TOP is uniform, and so is its place within the rest. The
 * index itself is uniform, because the codebook favours no index. Nonces are uniform and never
 * repeat.
 *
 * With nulls, an input of length n R is heard with chance n. If it is heard, the k nearest
 * codewords are heavy; otherwise the k nulls are. So the chances are
 *
 *   index in TOP   k (n w_top + (1 - n) w_rest)/W
 *   null           k ((1 - n) w_top + n w_rest)/W
 *
 * and all indices are equally likely within TOP, within the nulls and within the rest.
 */

#define NONCE_BITS (8 * SOTTO_NONCE_BYTES)
#define NONCES_KEPT 65536u /* one for each value of the first two bytes */

typedef struct codebook_law {
    sotto__law base; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__privacy_claim *claim;
    sotto__ranking ranking;
    double top_chance, null_chance;
    uint64_t count, top_hits, null_hits, repeated;
    sotto__lags lags;     /* of being in TOP */
    uint64_t *top_at;     /* k: hits by rank in TOP */
    uint64_t *rest_at;    /* M - k: hits by place in the rest */
    uint64_t *index_at;   /* M */
    uint64_t *null_at;    /* k, with nulls: hits by null */
    uint64_t *nonce_kept; /* for each first two bytes: the last eight bytes of the latest nonce */
    uint64_t bit[NONCE_BITS];
} codebook_law;

static void take_nonce(codebook_law *law, const uint8_t *nonce)
{
    uint64_t *kept = &law->nonce_kept[sotto__get_u16(nonce)];
    uint64_t tail = sotto__get_u64(nonce + SOTTO_NONCE_BYTES - 8);
    law->repeated += *kept == tail;
    *kept = tail;
    for (uint32_t i = 0; i < NONCE_BITS; i++) {
        law->bit[i] += nonce[i / 8] >> (i % 8) & 1;
    }
}

/* The place of a codeword outside TOP: first those of the arm, by rank, better signs last; then
 * those of other tags, by index. */
static uint32_t place_in_rest(const codebook_law *law, uint32_t index, uint32_t rank, bool better)
{
    const sotto_codebook *codebook = &law->claim->codebook;
    uint32_t half = codebook->size / 2, own = half / codebook->groups, arm = law->ranking.arm[0];
    if (rank < half) return better ? own + rank - codebook->top : rank;
    uint32_t before = 0; /* codewords of other tags */
    for (uint32_t i = 0; i < index; i++) {
        before += i % half % codebook->groups != arm;
    }
    return 2 * own - codebook->top + before;
}

static sotto_status codebook_take(sotto__taker *taker, uint64_t t,
                                  const sotto__subject_answer *answer)
{
    codebook_law *law = (codebook_law *)taker;
    const sotto_codebook *codebook = &law->claim->codebook;
    uint32_t indices = codebook->size + codebook->nulls;
    law->count = t + 1;
    take_nonce(law, answer->nonce);
    if (!(answer->value[0] >= 0 && answer->value[0] < indices)) return SOTTO_OK;
    uint32_t index = (uint32_t)answer->value[0];
    bool better = false, null = index >= codebook->size, in_top = false;
    law->null_hits += null;
    if (null) {
        law->null_at[index - codebook->size]++;
    } else {
        sotto__ranking_expand(&law->ranking, answer->nonce, 1);
        uint32_t rank = sotto__ranking_of(&law->ranking, 0, index, &better);
        in_top = better && rank < codebook->top;
        law->index_at[index]++;
        law->top_hits += in_top;
        if (in_top) law->top_at[rank]++;
        if (!in_top) law->rest_at[place_in_rest(law, index, rank, better)]++;
    }
    sotto__lags_add(&law->lags, in_top - law->top_chance);
    return SOTTO_OK;
}

static void nonce_rows(const codebook_law *law, sotto_audit_result *result)
{
    double worst = 0.5, p = 2;
    for (uint32_t i = 0; i < NONCE_BITS; i++) {
        double own = sotto__binomial_p(law->bit[i], law->count, 0.5);
        if (own >= p) continue;
        p = own;
        worst = (double)law->bit[i] / (double)law->count;
    }
    sotto__law_row(result, "bits of the nonce (worst share of ones)", worst, 0.5,
                   sotto__smallest_p(p, NONCE_BITS));
    sotto__law_row(result, "repeated nonces", (double)law->repeated, 0, law->repeated == 0 ? 1 : 0);
}

static void codebook_rows(sotto__law *base, sotto_audit_result *result)
{
    codebook_law *law = (codebook_law *)base;
    const sotto_codebook *codebook = &law->claim->codebook;
    sotto__lags_end(&law->lags);
    sotto__worst_lag worst = sotto__lags_worst(&law->lags);
    sotto__law_row(result, "index in TOP (share)", (double)law->top_hits / (double)law->count,
                   law->top_chance, sotto__binomial_p(law->top_hits, law->count, law->top_chance));
    sotto__law_row(result, "rank within TOP is uniform", NAN, NAN,
                   sotto__uniform_p(law->top_at, codebook->top));
    sotto__law_row(result, "place within the rest is uniform", NAN, NAN,
                   sotto__uniform_p(law->rest_at, codebook->size - codebook->top));
    if (codebook->nulls > 0) {
        sotto__law_row(result, "null (share)", (double)law->null_hits / (double)law->count,
                       law->null_chance,
                       sotto__binomial_p(law->null_hits, law->count, law->null_chance));
        sotto__law_row(result, "which null is uniform", NAN, NAN,
                       sotto__uniform_p(law->null_at, codebook->nulls));
    }
    /* Two cases are not uniform: in one dimension all codewords are equally near, and ties go to
     * the lower index; with tags, that of the arm comes more often. */
    if (law->claim->dim > 1 && codebook->groups == 1) {
        sotto__law_row(result, "index is uniform", NAN, NAN,
                       sotto__uniform_p(law->index_at, codebook->size));
    }
    sotto__law_lag_row(result, "correlation with the report", &worst, 1);
    nonce_rows(law, result);
}

static void set_chances(codebook_law *law, double length)
{
    const sotto_codebook *codebook = &law->claim->codebook;
    double top = codebook->top * (double)codebook->weight_top;
    double rest =
        (codebook->size + codebook->nulls - codebook->top) * (double)codebook->weight_rest;
    double light = codebook->top * (double)codebook->weight_rest;
    law->top_chance = top / (top + rest);
    if (codebook->nulls == 0) return; /* x is R long */
    law->top_chance = (length * top + (1 - length) * light) / (top + rest);
    law->null_chance = ((1 - length) * top + length * light) / (top + rest);
}

static void codebook_release(sotto__law *base)
{
    codebook_law *law = (codebook_law *)base;
    sotto__ranking_free(&law->ranking);
    free(law->index_at);
    free(law->nonce_kept);
    free(law);
}

static sotto_status codebook_new(const sotto__privacy_claim *claim, const double *x,
                                 uint64_t trials, sotto__law **out)
{
    (void)trials;
    const sotto_codebook *codebook = &claim->codebook;
    *out = NULL;
    codebook_law *law = calloc(1, sizeof *law);
    if (law == NULL) return SOTTO_E_MEMORY;
    law->base =
        (sotto__law){.taker = {codebook_take}, .rows = codebook_rows, .free = codebook_release};
    law->claim = claim;
    law->nonce_kept = calloc(NONCES_KEPT, sizeof(uint64_t));
    law->index_at = calloc(2 * (size_t)codebook->size + codebook->nulls, sizeof(uint64_t));
    sotto_status status = sotto__ranking_new(claim, &law->ranking);
    if (law->nonce_kept == NULL || law->index_at == NULL) status = SOTTO_E_MEMORY;
    if (status != SOTTO_OK) {
        codebook_release(&law->base);
        return status;
    }
    law->top_at = law->index_at + codebook->size;
    law->rest_at = law->top_at + codebook->top;
    law->null_at = law->index_at + 2 * (size_t)codebook->size;
    set_chances(law, sotto__ranking_direct(&law->ranking, 0, x));
    *out = &law->base;
    return SOTTO_OK;
}

/* ==== vector ================================================================================= */

/*
 * Layer 1 of PrivUnit: y = R B V, V a unit vector. T = <V, v> falls into the cap T >= g with chance
 * p; inside and outside it, I_{(1-T)/2}(a, a), a = (d-1)/2, is uniform on its range.
 */

#define PLACES 64u

typedef struct vector_law {
    sotto__law base; /* first, so that a pointer to it is a pointer to the whole */
    const sotto__privacy_claim *claim;
    double *v;  /* dim: the direction of x */
    double cap; /* share of the sphere */
    double norm_error;
    uint64_t count, cap_hits, bin[2][PLACES]; /* inside the cap, outside */
    sotto__lags lags;                         /* of being in the cap */
} vector_law;

static sotto_status vector_take(sotto__taker *taker, uint64_t t,
                                const sotto__subject_answer *answer)
{
    vector_law *law = (vector_law *)taker;
    const sotto__privacy_claim *claim = law->claim;
    double length = claim->radius * claim->privunit.scale, p = claim->privunit.cap_chance;
    double along = sotto__dot(answer->value, law->v, claim->dim) / length;
    bool in_cap = along >= claim->privunit.cap_height;
    law->count = t + 1;
    law->norm_error =
        fmax(law->norm_error, fabs(sotto__norm(answer->value, claim->dim) / length - 1));
    law->cap_hits += in_cap;
    sotto__lags_add(&law->lags, in_cap - p);
    if (claim->dim == 1) return SOTTO_OK;
    double a = (claim->dim - 1) / 2.0;
    double u = sotto__incomplete_beta((1 - along) / 2, a, a);
    double place = in_cap ? u / law->cap : (u - law->cap) / (1 - law->cap);
    law->bin[!in_cap][(uint32_t)fmin(PLACES - 1, fmax(0, place * PLACES))]++;
    return SOTTO_OK;
}

static void vector_rows(sotto__law *base, sotto_audit_result *result)
{
    vector_law *law = (vector_law *)base;
    double p = law->claim->privunit.cap_chance;
    sotto__lags_end(&law->lags);
    sotto__worst_lag worst = sotto__lags_worst(&law->lags);
    sotto__law_row(result, "answer in the cap (share)", (double)law->cap_hits / (double)law->count,
                   p, sotto__binomial_p(law->cap_hits, law->count, p));
    if (law->claim->dim > 1) {
        sotto__law_row(result, "component within the cap is uniform", NAN, NAN,
                       sotto__uniform_p(law->bin[0], PLACES));
        sotto__law_row(result, "component outside the cap is uniform", NAN, NAN,
                       sotto__uniform_p(law->bin[1], PLACES));
    }
    sotto__law_row(result, "length of the answer (relative error)", law->norm_error, 1e-9,
                   law->norm_error <= 1e-9 ? 1 : 0);
    sotto__law_lag_row(result, "correlation with the report", &worst, 1);
}

static void vector_release(sotto__law *base)
{
    free(((vector_law *)base)->v);
    free(base);
}

static sotto_status vector_new(const sotto__privacy_claim *claim, const double *x, uint64_t trials,
                               sotto__law **out)
{
    (void)trials;
    *out = NULL;
    vector_law *law = calloc(1, sizeof *law);
    if (law == NULL) return SOTTO_E_MEMORY;
    law->base = (sotto__law){.taker = {vector_take}, .rows = vector_rows, .free = vector_release};
    law->claim = claim;
    law->v = malloc(claim->dim * sizeof law->v[0]);
    if (law->v == NULL) {
        vector_release(&law->base);
        return SOTTO_E_MEMORY;
    }
    double norm = sotto__norm(x, claim->dim), a = (claim->dim - 1) / 2.0;
    for (uint32_t i = 0; i < claim->dim; i++) {
        law->v[i] = x[i] / norm;
    }
    if (claim->dim > 1) {
        law->cap = sotto__incomplete_beta((1 - claim->privunit.cap_height) / 2, a, a);
    }
    *out = &law->base;
    return SOTTO_OK;
}

/* ==== families =============================================================================== */

sotto_status sotto__law_new(const sotto__privacy_claim *claim, const double *x, uint64_t trials,
                            sotto__law **out)
{
    *out = NULL;
    switch (claim->family) {
    case SOTTO__LATTICE: return lattice_new(claim, x, trials, out);
    case SOTTO__CODEBOOK: return codebook_new(claim, x, trials, out);
    case SOTTO__VECTOR: return vector_new(claim, x, trials, out);
    case SOTTO__OUTSIDE: return SOTTO_OK; /* its law is not known: dependence.c */
    }
    return SOTTO_OK;
}
