/*
 * Witnesses for programs about which nothing is known. Several guesses at what separates two
 * secrets are fitted on one sample, and another sample decides which is best. Poor learning only
 * makes the bound smaller, because layer 3 judges on fresh trials.
 */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS SOTTO__SCORE_BINS
#define CELL 0x1p-16 /* in deviations of a number: answers this near to each other count as one */

/* ---- fitting ------------------------------------------------------------------------------ */

static const double *row_of(const sotto__sample *sample, uint64_t i)
{
    return sample->value + i * sample->width;
}

sotto__subject_answer sotto__sample_answer(const sotto__sample *sample, uint64_t i)
{
    sotto__subject_answer answer = {.count = sample->width,
                                    .value = sample->value + i * sample->width};
    if (sample->spelling != NULL) answer.spelling = sample->spelling[i];
    return answer;
}

static void fit_moments(sotto__score *self, const sotto__sample *train)
{
    double count[2] = {0, 0};
    for (uint64_t n = 0; n < train->count; n++) {
        uint32_t s = train->secret[n];
        count[s]++;
        for (uint32_t i = 0; i < self->width; i++) {
            self->mean[s][i] += (row_of(train, n)[i] - self->mean[s][i]) / count[s];
        }
    }
    for (uint64_t n = 0; n < train->count; n++) {
        const double *mean = self->mean[train->secret[n]];
        for (uint32_t i = 0; i < self->width; i++) {
            double off = row_of(train, n)[i] - mean[i];
            self->variance[i] += off * off / (double)train->count;
        }
    }
    for (uint32_t i = 0; i < self->width; i++) {
        self->middle[i] = (self->mean[0][i] + self->mean[1][i]) / 2;
    }
}

static double separation(const sotto__score *self, uint32_t i)
{
    double gap = self->mean[0][i] - self->mean[1][i];
    return gap == 0 ? 0 : gap * gap / (self->variance[i] + 1e-300);
}

/* The numbers that separate best, at most SOTTO__WHITEN_MAX, by insertion. */
static void choose_some(sotto__score *self)
{
    for (uint32_t i = 0; i < self->width; i++) {
        uint32_t at = self->some_count < SOTTO__WHITEN_MAX ? self->some_count++ : SOTTO__WHITEN_MAX;
        while (at > 0 && separation(self, i) > separation(self, self->some[at - 1])) {
            if (at < SOTTO__WHITEN_MAX) self->some[at] = self->some[at - 1];
            at--;
        }
        if (at < SOTTO__WHITEN_MAX) self->some[at] = i;
    }
}

/* w = S^-1 gap, with S given by its factor; w = gap if S has none. `some` are all numbers. */
static void whiten_past(sotto__score *self, const double *factor)
{
    for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
        double gap[SOTTO__WHITEN_MAX], *direction = self->past[k].direction;
        for (uint32_t i = 0; i < self->width; i++) {
            gap[i] = direction[self->some[i]];
        }
        sotto__cholesky_solve(factor, gap, gap, self->width);
        for (uint32_t i = 0; i < self->width; i++) {
            direction[self->some[i]] = gap[i];
        }
    }
}

/* some_direction = S^-1 (mean - mean'), S the covariance of `some`, with a ridge of 1e-9 of the
 * largest variance. Narrow answers: also the directions of the past. */
static sotto_status whiten_some(sotto__score *self, const sotto__sample *train, double ridge)
{
    uint32_t count = self->some_count;
    double *covariance = calloc(sotto__tri_count(count), sizeof *covariance),
           off[SOTTO__WHITEN_MAX];
    if (covariance == NULL) return SOTTO_E_MEMORY;
    for (uint64_t n = 0; n < train->count; n++) {
        const double *mean = self->mean[train->secret[n]];
        for (uint32_t k = 0; k < count; k++) {
            off[k] = row_of(train, n)[self->some[k]] - mean[self->some[k]];
            for (uint32_t j = 0; j <= k; j++) {
                covariance[k * (k + 1) / 2 + j] += off[k] * off[j] / (double)train->count;
            }
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = self->some[k];
        covariance[k * (k + 1) / 2 + k] += ridge;
        self->some_direction[k] = self->mean[0][i] - self->mean[1][i];
    }
    if (sotto__cholesky(covariance, count)) {
        sotto__cholesky_solve(covariance, self->some_direction, self->some_direction, count);
        if (self->width <= SOTTO__WHITEN_MAX) whiten_past(self, covariance);
    }
    free(covariance);
    return SOTTO_OK;
}

/* `direction` uses the whole covariance of narrow answers but only the variances of wide ones.
 * `some_direction` makes up for what that misses. */
static sotto_status fit_direction(sotto__score *self, const sotto__sample *train)
{
    double largest = 1e-300;
    for (uint32_t i = 0; i < self->width; i++) {
        largest = fmax(largest, self->variance[i]);
    }
    choose_some(self);
    self->best = self->some[0];
    for (uint32_t i = 0; i < self->width && self->width > SOTTO__WHITEN_MAX; i++) {
        for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
            self->past[k].direction[i] /= self->variance[i] + 1e-9 * largest;
        }
    }
    sotto_status status = whiten_some(self, train, 1e-9 * largest);
    for (uint32_t i = 0; i < self->width; i++) {
        double gap = self->mean[0][i] - self->mean[1][i];
        self->direction[i] = gap / (self->variance[i] + 1e-9 * largest);
    }
    for (uint32_t k = 0; k < self->some_count && self->width <= SOTTO__WHITEN_MAX; k++) {
        self->direction[self->some[k]] = self->some_direction[k];
    }
    return status;
}

/* For each label, by the recalled secret: the sum of one number over the answers, and how many. */
typedef struct past_sums {
    double sum[2], count[2];
} past_sums;

static void add_one(past_sums sums[SOTTO__RECALLED], sotto__past past, uint32_t k, double number)
{
    if (!sotto__past_known(past, k)) return;
    sums[k - 1].sum[sotto__past_secret(past, k)] += number;
    sums[k - 1].count[sotto__past_secret(past, k)]++;
}

static void add_past(past_sums sums[SOTTO__RECALLED], sotto__past past, double number)
{
    for (uint32_t k = 1; k <= SOTTO__RECALLED; k++) {
        add_one(sums, past, k, number);
    }
}

/* The means of a number for the two values of a recalled secret; 0 if either never came. */
static void past_means(const past_sums *sums, double mean[2])
{
    bool both = sums->count[0] > 0 && sums->count[1] > 0;
    for (uint32_t s = 0; s < 2; s++) {
        mean[s] = both ? sotto__finite_or_zero(sums->sum[s] / sums->count[s]) : 0;
    }
}

/* The gaps between the means. They are whitened later. */
static void fit_past_gaps(sotto__score *self, const sotto__sample *train)
{
    for (uint32_t i = 0; i < self->width && train->past != NULL; i++) {
        past_sums sums[SOTTO__RECALLED] = {{{0}, {0}}};
        for (uint64_t n = 0; n < train->count; n++) {
            add_past(sums, train->past[n], row_of(train, n)[i] - self->middle[i]);
        }
        for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
            double mean[2];
            past_means(&sums[k], mean);
            self->past[k].direction[i] = mean[0] - mean[1];
        }
    }
}

/* Half-way between the means of the projection, and of the energy. */
static void fit_past_middles(sotto__score *self, const sotto__sample *train)
{
    past_sums along[SOTTO__RECALLED] = {{{0}, {0}}}, energy[SOTTO__RECALLED] = {{{0}, {0}}};
    for (uint64_t n = 0; n < train->count && train->past != NULL; n++) {
        const double *y = row_of(train, n);
        add_past(energy, train->past[n], sotto__score_energy(self, y));
        for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
            double projection =
                sotto__score_project(self->past[k].direction, self->middle, y, self->width);
            add_one(along, train->past[n], k + 1, projection);
        }
    }
    for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
        double mean[2];
        past_means(&along[k], mean);
        self->past[k].offset = (mean[0] + mean[1]) / 2;
        past_means(&energy[k], mean);
        self->past[k].energy_middle = (mean[0] + mean[1]) / 2;
        self->past[k].energy_factor = (mean[0] > mean[1]) - (mean[0] < mean[1]);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ln of the share of each secret's trials in each of 32 bins, smoothed by half a trial. */
static sotto_status fit_bins(sotto__score *self, const sotto__sample *train)
{
    double count[BINS][2] = {{0, 0}}, *sorted = malloc(train->count * sizeof *sorted);
    if (sorted == NULL) return SOTTO_E_MEMORY;
    for (uint64_t n = 0; n < train->count; n++) {
        sorted[n] =
            sotto__score_project(self->direction, self->middle, row_of(train, n), self->width);
    }
    qsort(sorted, train->count, sizeof sorted[0], by_value);
    for (uint32_t i = 0; i < BINS - 1; i++) {
        self->edge[i] = sorted[train->count * (i + 1) / BINS];
    }
    free(sorted);
    for (uint64_t n = 0; n < train->count; n++) {
        count[sotto__score_bin(self, row_of(train, n))][train->secret[n]]++;
    }
    for (uint32_t i = 0; i < BINS; i++) {
        self->bin_ratio[i] = log((count[i][0] + 0.5) / (count[i][1] + 0.5));
    }
    return SOTTO_OK;
}

static void add_to(sotto__table *table, uint64_t key, const sotto__sample *train, uint64_t n)
{
    sotto__table_add(table, key, 0, train->secret[n]);
    for (uint32_t k = 1; k <= SOTTO__RECALLED && train->past != NULL; k++) {
        if (!sotto__past_known(train->past[n], k)) continue;
        sotto__table_add(table, key, k, sotto__past_secret(train->past[n], k));
    }
}

/* How often each answer came: whole, by cell, by coordinate `best` alone, and by spelling. */
static sotto_status fit_tables(sotto__score *self, const sotto__sample *train)
{
    sotto__table **const table[] = {&self->whole, &self->cells, &self->one, &self->spelled};
    const uint64_t keys[] = {1, 1, self->width > 1,
                             train->spelling == NULL ? 0 : SOTTO__SPELLING_LOOKS};
    for (int i = 0; i < 4; i++) {
        if (keys[i] == 0) continue;
        sotto_status status = sotto__table_new(keys[i] * train->count, table[i]);
        if (status != SOTTO_OK) return status;
    }
    for (uint32_t i = 0; i < self->width; i++) {
        double width = CELL * sqrt(self->variance[i]);
        self->cell[i] = width > 0 ? 1 / width : 1;
    }
    for (uint64_t n = 0; n < train->count; n++) {
        const double *y = row_of(train, n);
        add_to(self->whole, sotto__answer_key(y, self->width), train, n);
        add_to(self->cells, sotto__score_cell(self, y), train, n);
        if (self->one != NULL) add_to(self->one, sotto__answer_key(y + self->best, 1), train, n);
        for (uint32_t which = 0; which < keys[3]; which++) {
            add_to(self->spelled, sotto__spelling_key(&train->spelling[n], which), train, n);
        }
    }
    for (int i = 0; i < 4; i++) {
        if (*table[i] == NULL) continue;
        sotto_status status = sotto__table_settle(*table[i]);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static sotto_status fit(const sotto__sample *train, sotto__score **out)
{
    uint32_t width = train->width;
    sotto__score *self = calloc(1, sizeof *self);
    *out = self;
    if (self == NULL) return SOTTO_E_MEMORY;
    self->width = width;
    self->mean[0] = calloc((6 + SOTTO__RECALLED) * (size_t)width, sizeof(double));
    if (self->mean[0] == NULL) return SOTTO_E_MEMORY;
    self->mean[1] = self->mean[0] + width;
    self->middle = self->mean[0] + 2 * (size_t)width;
    self->variance = self->mean[0] + 3 * (size_t)width;
    self->direction = self->mean[0] + 4 * (size_t)width;
    self->cell = self->mean[0] + 5 * (size_t)width;
    for (uint32_t k = 0; k < SOTTO__RECALLED; k++) {
        self->past[k].direction = self->mean[0] + (6 + k) * (size_t)width;
    }
    fit_moments(self, train);
    fit_past_gaps(self, train);
    sotto_status status = fit_direction(self, train);
    fit_past_middles(self, train);
    if (status == SOTTO_OK) status = fit_bins(self, train);
    if (status == SOTTO_OK) status = fit_tables(self, train);
    sotto__score_begin(self);
    return status;
}

/* The guess that by this sample will show most. */
static void choose_guess(sotto__score *self, const sotto__sample *choose,
                         const sotto__reading *read, uint64_t fresh, double delta, double alpha,
                         sotto__witnessed_trial *trial, sotto__audit_event *event)
{
    *event = (sotto__audit_event){.promise = -INFINITY};
    for (uint32_t i = 0; i < SOTTO__GUESSES; i++) {
        for (uint64_t n = 0; n < choose->count; n++) {
            double witness = sotto__coarse(sotto__guesses[i](self, &read[n]));
            trial[n] = (sotto__witnessed_trial){witness, choose->secret[n]};
        }
        sotto__audit_event found = sotto__choose_event(trial, choose->count, fresh, delta, alpha);
        if (i > 0 && !(found.promise > event->promise)) continue;
        *event = found;
        self->use = sotto__guesses[i];
    }
}

sotto_status sotto__witness_learn(const sotto__sample *train, const sotto__sample *choose,
                                  uint64_t fresh, double delta, double alpha,
                                  sotto__witnessed_trial *trial, sotto__audit_event *event,
                                  sotto__witness **out)
{
    sotto__score *self;
    *out = NULL;
    sotto_status status = fit(train, &self);
    sotto__reading *read = malloc((choose->count + 1) * sizeof *read);
    if (status == SOTTO_OK && read == NULL) status = SOTTO_E_MEMORY;
    if (status != SOTTO_OK) {
        if (self != NULL) sotto__score_free(&self->base);
        free(read);
        return status;
    }
    for (uint64_t n = 0; n < choose->count; n++) {
        sotto__subject_answer answer = sotto__sample_answer(choose, n);
        read[n] = sotto__score_read(self, &answer);
    }
    choose_guess(self, choose, read, fresh, delta, alpha, trial, event);
    free(read);
    *out = &self->base;
    return SOTTO_OK;
}
