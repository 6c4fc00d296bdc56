/*
 * Tests whether successive answers are independent. The test uses signs, so it assumes no law of
 * the noise.
 *
 * s_t is +1, 0 or -1 if a number lies above, at or below the middle of the answers to its secret.
 * Over successive trials with secrets (c, c'), independence makes the covariance of (s_t, s_(t+1))
 * 0. The sum of the four covariances, weighted by their trials, divided by its standard error is
 * one normal z.
 *
 * The same signs, and whether a number is far from its middle or near it, are tested for
 * correlation with those of the 128 answers before. Of answers with more than NUMBERS_MAX numbers,
 * NUMBERS_MAX evenly spaced ones are tested.
 *
 * If answers are independent, an answer equals the one k before it with the same chance for every
 * k. The count of each k is compared with the counts of all, by the binomial law and by how much
 * the counts vary.
 */
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAGS SOTTO__LAGS
#define KEYS (4 * LAGS)
#define NUMBERS_MAX 64u /* numbers of an answer that are tested at all lags */

/* Sums over successive trials of one pair of secrets. */
typedef struct transition {
    double first, second, both, first_squares, second_squares;
} transition;

struct sotto__dependence {
    uint32_t width;
    uint64_t trials; /* of this pair of inputs */
    uint32_t last_secret;
    double count[4];       /* of each transition */
    transition *sums;      /* width x 4 */
    double *middle;        /* 2 x width */
    int8_t *last_sign;     /* width */
    double worst, worst_p; /* over numbers and pairs of inputs */
    double tests;
    uint32_t numbers, stride;   /* how many are tested, and their spacing */
    double *spread;             /* width */
    sotto__lags *signs, *sizes; /* numbers each */
    uint32_t key[KEYS]; /* key[newest + k - 1]: of the answer k before; 0 before the first */
    uint32_t newest;
    uint64_t repeats[LAGS]; /* repeats[k - 1]: of the answer k before */
};

sotto_status sotto__dependence_new(uint32_t width, sotto__dependence **out)
{
    sotto__dependence *self = calloc(1, sizeof *self);
    *out = self;
    if (self == NULL) return SOTTO_E_MEMORY;
    self->width = width;
    self->worst_p = 1;
    self->numbers = width < NUMBERS_MAX ? width : NUMBERS_MAX;
    self->stride = width / self->numbers;
    self->spread = calloc(width, sizeof(double));
    self->signs = calloc(2 * (size_t)self->numbers, sizeof self->signs[0]);
    self->sums = calloc(4 * (size_t)width, sizeof self->sums[0]);
    self->middle = calloc(2 * (size_t)width, sizeof(double));
    self->last_sign = calloc(width, 1);
    if (self->sums == NULL || self->middle == NULL || self->last_sign == NULL ||
        self->spread == NULL || self->signs == NULL) {
        sotto__dependence_free(self);
        *out = NULL;
        return SOTTO_E_MEMORY;
    }
    self->sizes = self->signs + self->numbers;
    return SOTTO_OK;
}

void sotto__dependence_free(sotto__dependence *self)
{
    if (self == NULL) return;
    free(self->sums);
    free(self->middle);
    free(self->last_sign);
    free(self->spread);
    free(self->signs);
    free(self);
}

void sotto__dependence_begin(sotto__dependence *self, const double *middle, const double *spread)
{
    memcpy(self->spread, spread, self->width * sizeof(double));
    memcpy(self->middle, middle, 2 * (size_t)self->width * sizeof(double));
    memset(self->sums, 0, 4 * (size_t)self->width * sizeof self->sums[0]);
    memset(self->count, 0, sizeof self->count);
    memset(self->key, 0, sizeof self->key);
    self->newest = 0;
    self->trials = 0;
}

/* False for most answers, unless there are only few different ones. */
static bool repeats_any(const uint32_t past[LAGS], uint32_t key)
{
    uint32_t any = 0;
    for (uint32_t k = 0; k < LAGS; k++) {
        any |= past[k] == key;
    }
    return any != 0;
}

/* The past is stored newest first and grows downwards, as in sotto__lags. Keys have 31 random bits,
 * so two different answers may share one by chance, at any lag. */
static void count_repeats(sotto__dependence *self, const double *value)
{
    uint32_t key = (uint32_t)(sotto__answer_key(value, self->width) >> 32) | 1;
    const uint32_t *past = self->key + self->newest;
    bool any = repeats_any(past, key);
    for (uint32_t k = 0; k < LAGS && any; k++) {
        self->repeats[k] += past[k] == key;
    }
    if (self->newest == 0) {
        self->newest = KEYS - LAGS;
        memmove(self->key + self->newest, self->key, LAGS * sizeof key);
    }
    self->key[--self->newest] = key;
}

void sotto__dependence_take(sotto__dependence *self, uint32_t secret, const double *value)
{
    uint32_t kind = 2 * self->last_secret + secret;
    const double *middle = self->middle + (size_t)secret * self->width;
    if (self->trials > 0) self->count[kind]++;
    for (uint32_t i = 0; i < self->width; i++) {
        int sign = (value[i] > middle[i]) - (value[i] < middle[i]), last = self->last_sign[i];
        self->last_sign[i] = (int8_t)sign;
        if (self->trials == 0) continue;
        transition *sums = &self->sums[4 * (size_t)i + kind];
        sums->first += last;
        sums->second += sign;
        sums->both += last * sign;
        sums->first_squares += last * last;
        sums->second_squares += sign * sign;
    }
    for (uint32_t n = 0; n < self->numbers; n++) {
        uint32_t i = n * self->stride;
        double off = value[i] - middle[i];
        sotto__lags_add(&self->signs[n], (off > 0) - (off < 0));
        sotto__lags_add(&self->sizes[n], fabs(off) > self->spread[i] ? 1 : -1);
    }
    count_repeats(self, value);
    self->last_secret = secret;
    self->trials++;
}

void sotto__dependence_end(sotto__dependence *self)
{
    for (uint32_t n = 0; n < 2 * self->numbers; n++) {
        sotto__lags_end(&self->signs[n]);
    }
    for (uint32_t i = 0; i < self->width; i++) {
        double covariance = 0, variance = 0;
        for (uint32_t kind = 0; kind < 4; kind++) {
            const transition *sums = &self->sums[4 * (size_t)i + kind];
            double n = self->count[kind];
            if (n < 2) continue;
            covariance += sums->both - sums->first * sums->second / n;
            variance += (sums->first_squares - sums->first * sums->first / n) *
                        (sums->second_squares - sums->second * sums->second / n) / n;
        }
        if (!(variance > 0)) continue; /* this number does not vary */
        double z = covariance / sqrt(variance), p = sotto__two_sided(z);
        self->tests++;
        if (p >= self->worst_p) continue;
        self->worst_p = p;
        self->worst = z / sqrt((double)self->trials);
    }
}

/* The lag whose repeats are the most significant, and its p. */
static double worst_lag(const sotto__dependence *self, uint32_t *lag)
{
    double total = 0, squares = 0, smallest = 1;
    for (uint32_t k = 0; k < LAGS; k++) {
        total += (double)self->repeats[k];
    }
    double mean = total / LAGS;
    for (uint32_t k = 0; k < LAGS; k++) {
        squares += ((double)self->repeats[k] - mean) * ((double)self->repeats[k] - mean);
    }
    double deviation = sqrt(fmax(squares / LAGS, mean));
    *lag = 1;
    for (uint32_t k = 0; k < LAGS && total > 0; k++) {
        double p = sotto__binomial_p(self->repeats[k], (uint64_t)total, 1.0 / LAGS);
        p = fmax(p, sotto__two_sided(((double)self->repeats[k] - mean) / deviation));
        if (p >= smallest) continue;
        smallest = p;
        *lag = k + 1;
    }
    return sotto__smallest_p(smallest, LAGS);
}

static void lag_row(const sotto__dependence *self, const sotto__lags *lags, const char *name,
                    sotto_audit_result *result)
{
    sotto__worst_lag worst = {.p = 2};
    for (uint32_t n = 0; n < self->numbers; n++) {
        sotto__worst_lag found = sotto__lags_worst(&lags[n]);
        if (found.p < worst.p) worst = found;
    }
    sotto__law_lag_row(result, name, &worst, self->numbers);
}

void sotto__dependence_rows(const sotto__dependence *self, sotto_audit_result *result)
{
    uint32_t lag;
    double p = worst_lag(self, &lag);
    sotto__law_row(result, "correlation with the next answer", self->worst, 0,
                   sotto__smallest_p(self->worst_p, fmax(1, self->tests)));
    lag_row(self, self->signs, "correlation with the answer", result);
    lag_row(self, self->sizes, "correlation of the distance from the middle with that", result);
    char name[SOTTO_AUDIT_NAME_BYTES];
    double total = 0;
    for (uint32_t k = 0; k < LAGS; k++) {
        total += (double)self->repeats[k];
    }
    snprintf(name, sizeof name, "answers that repeat the one %u before (share of repeats)", lag);
    sotto__law_row(result, name, total == 0 ? NAN : (double)self->repeats[lag - 1] / total,
                   1.0 / LAGS, p);
}
