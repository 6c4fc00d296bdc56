/*
 * Independence of successive answers, by signs, so that no law of the noise is assumed.
 *
 * s_t is +1, 0 or -1 as a number lies above, at or below the middle of its secret's answers. Over
 * successive trials with secrets (c, c'), independence makes the covariance of (s_t, s_(t+1)) 0:
 * the four covariances, weighted by their trials, over their standard error are one normal z.
 *
 * An answer that is exactly the one before it is as likely as one that is exactly the one before
 * that; so of the two kinds of repeat each has chance 1/2.
 */
#include "audit_dependence.h"
#include "audit_law.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    double *last, *before; /* width: the two answers before */
    int8_t *last_sign;     /* width */
    double worst, worst_p; /* over numbers and pairs of inputs */
    double tests;
    uint64_t repeats, skip_repeats;
};

sotto_status sotto__dependence_new(uint32_t width, sotto__dependence **out)
{
    sotto__dependence *self = calloc(1, sizeof *self);
    *out = self;
    if (self == NULL) return SOTTO_E_MEMORY;
    self->width = width;
    self->worst_p = 1;
    self->sums = calloc(4 * (size_t)width, sizeof self->sums[0]);
    self->middle = calloc(4 * (size_t)width, sizeof(double));
    self->last_sign = calloc(width, 1);
    if (self->sums == NULL || self->middle == NULL || self->last_sign == NULL) {
        sotto__dependence_free(self);
        *out = NULL;
        return SOTTO_E_MEMORY;
    }
    self->last = self->middle + 2 * (size_t)width;
    self->before = self->last + width;
    return SOTTO_OK;
}

void sotto__dependence_free(sotto__dependence *self)
{
    if (self == NULL) return;
    free(self->sums);
    free(self->middle);
    free(self->last_sign);
    free(self);
}

void sotto__dependence_begin(sotto__dependence *self, const double *middle)
{
    memcpy(self->middle, middle, 2 * (size_t)self->width * sizeof(double));
    memset(self->sums, 0, 4 * (size_t)self->width * sizeof self->sums[0]);
    memset(self->count, 0, sizeof self->count);
    self->trials = 0;
}

void sotto__dependence_take(sotto__dependence *self, uint32_t secret, const double *value)
{
    size_t bytes = self->width * sizeof(double);
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
    if (self->trials >= 2) {
        self->repeats += memcmp(value, self->last, bytes) == 0;
        self->skip_repeats += memcmp(value, self->before, bytes) == 0;
    }
    memcpy(self->before, self->last, bytes);
    memcpy(self->last, value, bytes);
    self->last_secret = secret;
    self->trials++;
}

void sotto__dependence_end(sotto__dependence *self)
{
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

void sotto__dependence_rows(const sotto__dependence *self, sotto_audit_result *result)
{
    uint64_t repeats = self->repeats + self->skip_repeats;
    sotto__law_row(result, "correlation with the next answer", self->worst, 0,
                   sotto__smallest_p(self->worst_p, fmax(1, self->tests)));
    sotto__law_row(result, "answers that repeat the one before (share of repeats)",
                   repeats == 0 ? NAN : (double)self->repeats / (double)repeats, 0.5,
                   repeats == 0 ? 1 : sotto__binomial_p(self->repeats, repeats, 0.5));
}
