/*
 * Witnesses for programs about which nothing is known: several guesses at what separates two secrets,
 * fitted on one sample, the best kept by another. Whatever is learned badly only makes the bound
 * smaller: layer 3 judges on fresh trials.
 */
#include "client/clip.h"
#include "core/linalg.h"
#include "table.h"
#include "witness.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 32u
#define CELL 0x1p-16   /* of a number's deviation: answers so near to each other count as one */
#define WHITEN_MAX 64u /* widest answer whose whole covariance is used */

typedef struct learned_score learned_score;

/* What one guess needs, and how it reads an answer. */
typedef struct guess {
    double (*of)(const learned_score *self, const double *y);
} guess;

struct learned_score {
    sotto__witness base; /* first, so that a pointer to it is a pointer to the whole */
    const guess *use;
    uint32_t width, best;                   /* best: the coordinate that separates best by itself */
    double *mean[2];                        /* by secret */
    double *middle;                         /* half-way between the means */
    double *variance;                       /* pooled, of each coordinate */
    double *direction;                      /* S^-1 (mean - mean'), S the pooled covariance */
    uint32_t some[WHITEN_MAX], some_count;  /* wide answers: numbers that separate best ... */
    double some_direction[WHITEN_MAX];      /* ... and S^-1 (mean - mean') of those alone */
    double edge[BINS - 1], bin_ratio[BINS]; /* of the projection on `direction` */
    double *cell;                           /* one over the width of a cell, of each coordinate */
    sotto__table *whole, *cells, *one; /* of whole answers, of their cells, of coordinate `best` */
};

static double project(const double *w, const double *middle, const double *y, uint32_t width)
{
    double sum = 0;
    for (uint32_t i = 0; i < width; i++) {
        sum += w[i] * (y[i] - middle[i]);
    }
    return sum;
}

/* FNV-1a, by numbers. */
#define KEY_START UINT64_C(0xcbf29ce484222325)

static uint64_t key_with(uint64_t key, double number)
{
    uint64_t bits; /* -0 is another answer than 0 */
    memcpy(&bits, &number, sizeof bits);
    key = (key ^ bits) * UINT64_C(0x100000001b3);
    return key ^ key >> 29;
}

uint64_t sotto__answer_key(const double *y, uint32_t width)
{
    uint64_t key = KEY_START;
    for (uint32_t i = 0; i < width; i++) {
        key = key_with(key, y[i]);
    }
    return key;
}

static uint64_t cell_key(const learned_score *self, const double *y)
{
    uint64_t key = KEY_START;
    for (uint32_t i = 0; i < self->width; i++) {
        key = key_with(key, rint(y[i] * self->cell[i]));
    }
    return key;
}

/* ---- the guesses -------------------------------------------------------------------------- */

static double by_means(const learned_score *self, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        sum += (self->mean[0][i] - self->mean[1][i]) * (y[i] - self->middle[i]);
    }
    return sum;
}

static double by_direction(const learned_score *self, const double *y)
{
    return project(self->direction, self->middle, y, self->width);
}

static double by_some(const learned_score *self, const double *y)
{
    double sum = 0;
    for (uint32_t k = 0; k < self->some_count; k++) {
        uint32_t i = self->some[k];
        sum += self->some_direction[k] * (y[i] - self->middle[i]);
    }
    return sum;
}

static double by_coordinate(const learned_score *self, const double *y)
{
    return y[self->best];
}

/* The likelihood ratio of Laplace noise, coordinates in units of their deviation. */
static double by_distance(const learned_score *self, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        double unit = sqrt(self->variance[i]) + 1e-300;
        sum += (fabs(y[i] - self->mean[1][i]) - fabs(y[i] - self->mean[0][i])) / unit;
    }
    return sum;
}

static double by_energy(const learned_score *self, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        sum += (y[i] - self->middle[i]) * (y[i] - self->middle[i]) / (self->variance[i] + 1e-300);
    }
    return sum;
}

static uint32_t bin_of(const learned_score *self, const double *y)
{
    double s = by_direction(self, y);
    uint32_t bin = 0;
    for (uint32_t i = 0; i < BINS - 1; i++) {
        bin += s > self->edge[i];
    }
    return bin;
}

static double by_bins(const learned_score *self, const double *y)
{
    return self->bin_ratio[bin_of(self, y)];
}

static double by_table(const learned_score *self, const double *y)
{
    return sotto__table_ratio(self->whole, sotto__answer_key(y, self->width));
}

static double by_cells(const learned_score *self, const double *y)
{
    return sotto__table_ratio(self->cells, cell_key(self, y));
}

static double by_coordinate_table(const learned_score *self, const double *y)
{
    return sotto__table_ratio(self->one, sotto__answer_key(y + self->best, 1));
}

static const guess guesses[] = {{by_direction}, {by_table}, {by_cells}, {by_coordinate_table},
                                {by_means},     {by_some},  {by_bins},  {by_coordinate},
                                {by_distance},  {by_energy}};
#define SURE_GUESSES 4u /* the first: their sign names the secret */
static_assert(SURE_GUESSES <= SOTTO__SURE_WITNESSES_MAX, "room for every sure witness");

/* ---- fitting ------------------------------------------------------------------------------ */

static const double *row_of(const sotto__sample *sample, uint64_t i)
{
    return sample->value + i * sample->width;
}

static void fit_moments(learned_score *self, const sotto__sample *train)
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

static double separation(const learned_score *self, uint32_t i)
{
    double gap = self->mean[0][i] - self->mean[1][i];
    return gap == 0 ? 0 : gap * gap / (self->variance[i] + 1e-300);
}

/* The numbers that separate best, at most WHITEN_MAX, by insertion. */
static void choose_some(learned_score *self)
{
    for (uint32_t i = 0; i < self->width; i++) {
        uint32_t at = self->some_count < WHITEN_MAX ? self->some_count++ : WHITEN_MAX;
        while (at > 0 && separation(self, i) > separation(self, self->some[at - 1])) {
            if (at < WHITEN_MAX) self->some[at] = self->some[at - 1];
            at--;
        }
        if (at < WHITEN_MAX) self->some[at] = i;
    }
}

/* some_direction = S^-1 (mean - mean'), S the covariance of `some`, with a ridge of 1e-9 of the
 * largest variance. */
static sotto_status whiten_some(learned_score *self, const sotto__sample *train, double ridge)
{
    uint32_t count = self->some_count;
    double *covariance = calloc(sotto__tri_count(count), sizeof *covariance), off[WHITEN_MAX];
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
    }
    free(covariance);
    return SOTTO_OK;
}

/* `direction` uses the whole covariance of narrow answers, and of wide ones only the variances;
 * `some_direction` covers for what that misses. */
static sotto_status fit_direction(learned_score *self, const sotto__sample *train)
{
    double largest = 1e-300;
    for (uint32_t i = 0; i < self->width; i++) {
        largest = fmax(largest, self->variance[i]);
    }
    choose_some(self);
    self->best = self->some[0];
    sotto_status status = whiten_some(self, train, 1e-9 * largest);
    for (uint32_t i = 0; i < self->width; i++) {
        double gap = self->mean[0][i] - self->mean[1][i];
        self->direction[i] = gap / (self->variance[i] + 1e-9 * largest);
    }
    for (uint32_t k = 0; k < self->some_count && self->width <= WHITEN_MAX; k++) {
        self->direction[self->some[k]] = self->some_direction[k];
    }
    return status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ln of the share of each secret's trials in each of 32 bins, smoothed by half a trial. */
static sotto_status fit_bins(learned_score *self, const sotto__sample *train)
{
    double count[BINS][2] = {{0, 0}}, *sorted = malloc(train->count * sizeof *sorted);
    if (sorted == NULL) return SOTTO_E_MEMORY;
    for (uint64_t n = 0; n < train->count; n++) {
        sorted[n] = by_direction(self, row_of(train, n));
    }
    qsort(sorted, train->count, sizeof sorted[0], by_value);
    for (uint32_t i = 0; i < BINS - 1; i++) {
        self->edge[i] = sorted[train->count * (i + 1) / BINS];
    }
    free(sorted);
    for (uint64_t n = 0; n < train->count; n++) {
        count[bin_of(self, row_of(train, n))][train->secret[n]]++;
    }
    for (uint32_t i = 0; i < BINS; i++) {
        self->bin_ratio[i] = log((count[i][0] + 0.5) / (count[i][1] + 0.5));
    }
    return SOTTO_OK;
}

/* How often each answer came: whole, by its cell, and in coordinate `best` alone. */
static sotto_status fit_tables(learned_score *self, const sotto__sample *train)
{
    sotto__table **const table[] = {&self->whole, &self->cells, &self->one};
    for (int i = 0; i < 3; i++) {
        sotto_status status = sotto__table_new(train->count, table[i]);
        if (status != SOTTO_OK) return status;
    }
    for (uint32_t i = 0; i < self->width; i++) {
        double width = CELL * sqrt(self->variance[i]);
        self->cell[i] = width > 0 ? 1 / width : 1;
    }
    for (uint64_t n = 0; n < train->count; n++) {
        const double *y = row_of(train, n);
        uint32_t s = train->secret[n];
        sotto__table_add(self->whole, sotto__answer_key(y, self->width), s);
        sotto__table_add(self->cells, cell_key(self, y), s);
        sotto__table_add(self->one, sotto__answer_key(y + self->best, 1), s);
    }
    return SOTTO_OK;
}

/* ---- the witness ---------------------------------------------------------------------------- */

/* 24 bits of a witness. What rests on lower ones is the arithmetic of doubles: it would accuse a
 * program for how its numbers are rounded, which this layer does not mean to search. */
static double coarse(double witness)
{
    int exponent;
    double part = frexp(sotto__finite_or_zero(witness), &exponent);
    return ldexp(rint(part * 0x1p24), exponent - 24);
}

static double learned_of(sotto__witness *witness, const sotto__answer *answer)
{
    const learned_score *self = (const learned_score *)witness;
    return coarse(self->use->of(self, answer->value));
}

static double learned_sure(sotto__witness *witness, uint32_t which, const sotto__answer *answer)
{
    return coarse(guesses[which].of((const learned_score *)witness, answer->value));
}

static void learned_free(sotto__witness *witness)
{
    learned_score *self = (learned_score *)witness;
    sotto__table_free(self->whole);
    sotto__table_free(self->cells);
    sotto__table_free(self->one);
    free(self->mean[0]);
    free(self);
}

static sotto_status fit(const sotto__sample *train, learned_score **out)
{
    uint32_t width = train->width;
    learned_score *self = calloc(1, sizeof *self);
    *out = self;
    if (self == NULL) return SOTTO_E_MEMORY;
    /* Of a single number the last of the sure guesses is the second. */
    uint32_t sure_count = width == 1 ? SURE_GUESSES - 1 : SURE_GUESSES;
    self->base = (sotto__witness){learned_of, sure_count, learned_sure, learned_free};
    self->width = width;
    self->mean[0] = calloc(6 * (size_t)width, sizeof(double));
    if (self->mean[0] == NULL) return SOTTO_E_MEMORY;
    self->mean[1] = self->mean[0] + width;
    self->middle = self->mean[0] + 2 * (size_t)width;
    self->variance = self->mean[0] + 3 * (size_t)width;
    self->direction = self->mean[0] + 4 * (size_t)width;
    self->cell = self->mean[0] + 5 * (size_t)width;
    fit_moments(self, train);
    sotto_status status = fit_direction(self, train);
    if (status == SOTTO_OK) status = fit_bins(self, train);
    if (status == SOTTO_OK) status = fit_tables(self, train);
    return status;
}

static void score_sample(const learned_score *self, const guess *use, const sotto__sample *sample,
                         sotto__witnessed_trial *trial)
{
    for (uint64_t n = 0; n < sample->count; n++) {
        double witness = coarse(use->of(self, row_of(sample, n)));
        trial[n] = (sotto__witnessed_trial){witness, sample->secret[n]};
    }
}

sotto_status sotto__witness_learn(const sotto__sample *train, const sotto__sample *choose,
                                  uint64_t fresh, double delta, double alpha,
                                  sotto__witnessed_trial *trial, sotto__event *event,
                                  sotto__witness **out)
{
    learned_score *self;
    sotto_status status = fit(train, &self);
    if (status != SOTTO_OK) {
        if (self != NULL) learned_free(&self->base);
        *out = NULL;
        return status;
    }
    *event = (sotto__event){.promise = -INFINITY};
    for (size_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++) {
        score_sample(self, &guesses[i], choose, trial);
        sotto__event found = sotto__choose_event(trial, choose->count, fresh, delta, alpha);
        if (i > 0 && !(found.promise > event->promise)) continue;
        *event = found;
        self->use = &guesses[i];
    }
    *out = &self->base;
    return SOTTO_OK;
}
