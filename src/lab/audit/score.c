/* Learned scores: the guesses, and the witness that combines them. */
#include "client/client.h"
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== table ================================================================================== */

/* Open addressing: an answer is stored in the first free slot at or after the one that its key
 * selects. At most half of the slots are taken, so every search ends. Most queries are for answers
 * that never came. A small bit array, which stays in the cache, answers those. */

typedef struct answer_slot {
    uint64_t key;
    bool taken;
    union {
        uint32_t count[SOTTO__LABELS][2]; /* by secret */
        double ratio[SOTTO__LABELS];      /* of a settled table */
    };
} answer_slot;

struct sotto__table {
    uint64_t mask, taken;
    answer_slot *slots; /* mask + 1, a power of 2 */
    uint64_t *at;       /* the slots taken, in order of arrival */
    uint64_t *met;      /* FILTER_BITS: some key of this residue came */
};
static_assert(sizeof(uint32_t[2]) == sizeof(double), "a ratio takes the place of its counts");

#define FILTER_BITS (1u << 20)
#define FEW 4096u /* with so few answers their slots fit in the cache, too */
#define SMALL 64u /* counts whose logarithm is kept */

static uint64_t slots_for(uint64_t answers)
{
    uint64_t slots = 2;
    while (slots < 2 * answers) {
        slots *= 2;
    }
    return slots;
}

sotto_status sotto__table_new(uint64_t answers_max, sotto__table **out)
{
    sotto__table *self = calloc(1, sizeof *self);
    *out = NULL;
    if (self == NULL) return SOTTO_E_MEMORY;
    uint64_t slots = slots_for(answers_max);
    self->mask = slots - 1;
    self->slots = calloc(slots, sizeof self->slots[0]);
    self->met = calloc(FILTER_BITS / 64, sizeof self->met[0]);
    self->at = malloc(slots / 2 * sizeof self->at[0]);
    if (self->slots == NULL || self->met == NULL || self->at == NULL) {
        sotto__table_free(self);
        return SOTTO_E_MEMORY;
    }
    *out = self;
    return SOTTO_OK;
}

void sotto__table_free(sotto__table *self)
{
    if (self == NULL) return;
    free(self->slots);
    free(self->met);
    free(self->at);
    free(self);
}

/* The upper half of the product depends on all bits of the key. */
static uint64_t place_of(uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

/* The slot of the key, or the free slot where it belongs. */
static answer_slot *find(const sotto__table *self, uint64_t key)
{
    uint64_t i = place_of(key) & self->mask;
    while (self->slots[i].taken && self->slots[i].key != key) {
        i = (i + 1) & self->mask;
    }
    return &self->slots[i];
}

void sotto__table_add(sotto__table *self, uint64_t key, uint32_t label, uint32_t secret)
{
    answer_slot *at = find(self, key);
    if (!at->taken) {
        assert(2 * (self->taken + 1) <= self->mask + 1);
        self->at[self->taken++] = (uint64_t)(at - self->slots);
        at->key = key;
        at->taken = true;
    }
    at->count[label][secret]++;
    uint64_t bit = place_of(key) % FILTER_BITS;
    self->met[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* ln (n + 1/2). Small n are looked up, because most counts are small. */
static double log_count(const double small[SMALL], uint32_t n)
{
    return n < SMALL ? small[n] : log(n + 0.5);
}

/* Replaces counts by ratios. */
static void set_ratios(answer_slot *at, const double small[SMALL])
{
    for (uint32_t label = 0; label < SOTTO__LABELS; label++) {
        double zero = log_count(small, at->count[label][0]);
        double one = log_count(small, at->count[label][1]);
        at->ratio[label] = zero - one;
    }
}

/* If there are few answers, moves them into a small table, which stays in the cache. */
static sotto_status shrink(sotto__table *self)
{
    uint64_t slots = slots_for(self->taken);
    answer_slot *old = self->slots;
    if (slots == self->mask + 1) return SOTTO_OK;
    self->mask = slots - 1;
    self->slots = calloc(slots, sizeof self->slots[0]);
    for (uint64_t i = 0; i < self->taken && self->slots != NULL; i++) {
        *find(self, old[self->at[i]].key) = old[self->at[i]];
    }
    free(old);
    return self->slots == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

sotto_status sotto__table_settle(sotto__table *self)
{
    double small[SMALL];
    for (uint32_t n = 0; n < SMALL; n++) {
        small[n] = log(n + 0.5);
    }
    for (uint64_t i = 0; i < self->taken; i++) {
        set_ratios(&self->slots[self->at[i]], small);
    }
    return shrink(self);
}

const double *sotto__table_ratios(const sotto__table *self, uint64_t key)
{
    uint64_t bit = place_of(key) % FILTER_BITS;
    bool many = self->taken > FEW;
    if (many && (self->met[bit / 64] >> bit % 64 & 1) == 0) return NULL;
    const answer_slot *at = find(self, key);
    return at->taken ? at->ratio : NULL;
}

/* ==== score =============================================================================== */

double sotto__score_project(const double *w, const double *middle, const double *y, uint32_t width)
{
    double sum = 0;
    for (uint32_t i = 0; i < width; i++) {
        sum += w[i] * (y[i] - middle[i]);
    }
    return sum;
}

/* FNV-1a, one number at a time. */
#define KEY_START UINT64_C(0xcbf29ce484222325)

static uint64_t key_with(uint64_t key, double number)
{
    uint64_t bits; /* -0 and 0 are different answers */
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

uint64_t sotto__score_cell(const sotto__score *self, const double *y)
{
    uint64_t key = KEY_START;
    for (uint32_t i = 0; i < self->width; i++) {
        key = key_with(key, rint(y[i] * self->cell[i]));
    }
    return key;
}

/* ---- the guesses ---------------------------------------------------------------------------- */

static double by_means(const sotto__score *self, const sotto__reading *read)
{
    const double *y = read->y;
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        sum += (self->mean[0][i] - self->mean[1][i]) * (y[i] - self->middle[i]);
    }
    return sum;
}

static double by_direction(const sotto__score *self, const sotto__reading *read)
{
    return sotto__score_project(self->direction, self->middle, read->y, self->width);
}

static double by_some(const sotto__score *self, const sotto__reading *read)
{
    const double *y = read->y;
    double sum = 0;
    for (uint32_t k = 0; k < self->some_count; k++) {
        uint32_t i = self->some[k];
        sum += self->some_direction[k] * (y[i] - self->middle[i]);
    }
    return sum;
}

static double by_coordinate(const sotto__score *self, const sotto__reading *read)
{
    return read->y[self->best];
}

/* The likelihood ratio of Laplace noise, coordinates in units of their deviation. */
static double by_distance(const sotto__score *self, const sotto__reading *read)
{
    const double *y = read->y;
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        double unit = sqrt(self->variance[i]) + 1e-300;
        sum += (fabs(y[i] - self->mean[1][i]) - fabs(y[i] - self->mean[0][i])) / unit;
    }
    return sum;
}

double sotto__score_energy(const sotto__score *self, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < self->width; i++) {
        sum += (y[i] - self->middle[i]) * (y[i] - self->middle[i]) / (self->variance[i] + 1e-300);
    }
    return sum;
}

static double by_energy(const sotto__score *self, const sotto__reading *read)
{
    return sotto__score_energy(self, read->y);
}

uint32_t sotto__score_bin(const sotto__score *self, const double *y)
{
    double s = sotto__score_project(self->direction, self->middle, y, self->width);
    uint32_t bin = 0;
    for (uint32_t i = 0; i < SOTTO__SCORE_BINS - 1; i++) {
        bin += s > self->edge[i];
    }
    return bin;
}

static double by_bins(const sotto__score *self, const sotto__reading *read)
{
    return self->bin_ratio[sotto__score_bin(self, read->y)];
}

static double by_table(const sotto__score *self, const sotto__reading *read)
{
    (void)self;
    return read->whole == NULL ? 0 : read->whole[0];
}

static double by_cells(const sotto__score *self, const sotto__reading *read)
{
    (void)self;
    return read->cells == NULL ? 0 : read->cells[0];
}

static double by_coordinate_table(const sotto__score *self, const sotto__reading *read)
{
    if (self->one == NULL) return 0;
    uint64_t key = sotto__answer_key(read->y + self->best, 1);
    const double *ratio = sotto__table_ratios(self->one, key);
    return ratio == NULL ? 0 : ratio[0];
}

static double by_spelling(const sotto__score *self, const sotto__reading *read)
{
    (void)self;
    return read->spelled[0];
}

/* The evidence of all looks at the spelling is added up. */
sotto__reading sotto__score_read(const sotto__score *self, const sotto__subject_answer *answer)
{
    uint64_t whole = sotto__answer_key(answer->value, self->width);
    sotto__reading read = {
        .y = answer->value,
        .whole = sotto__table_ratios(self->whole, whole),
        .cells = sotto__table_ratios(self->cells, sotto__score_cell(self, answer->value))};
    for (uint32_t look = 0; look < SOTTO__SPELLING_LOOKS && self->spelled != NULL; look++) {
        uint64_t key = sotto__spelling_key(&answer->spelling, look);
        const double *ratio = sotto__table_ratios(self->spelled, key);
        for (uint32_t label = 0; label < SOTTO__LABELS && ratio != NULL; label++) {
            read.spelled[label] += ratio[label];
        }
    }
    return read;
}

sotto__guess *const sotto__guesses[SOTTO__GUESSES] = {
    by_direction, by_table, by_cells,      by_coordinate_table, by_spelling, by_means,
    by_some,      by_bins,  by_coordinate, by_distance,         by_energy};

/* ---- the witness ---------------------------------------------------------------------------- */

double sotto__coarse(double witness)
{
    int exponent;
    double part = frexp(sotto__finite_or_zero(witness), &exponent);
    return ldexp(rint(part * 0x1p24), exponent - 24);
}

static double learned_of(sotto__witness *witness, const sotto__subject_answer *answer)
{
    const sotto__score *self = (const sotto__score *)witness;
    sotto__reading read = sotto__score_read(self, answer);
    return sotto__coarse(self->use(self, &read));
}

static double learned_sure(sotto__witness *witness, uint32_t which,
                           const sotto__subject_answer *answer)
{
    const sotto__score *self = (const sotto__score *)witness;
    sotto__reading read = sotto__score_read(self, answer);
    return sotto__coarse(self->sure[which](self, &read));
}

/* For each label of earlier secrets: direction, energy, whole answer, cells and spelling. */
static void learned_hear(sotto__witness *witness, const sotto__subject_answer *answer,
                         sotto__heard *out)
{
    const sotto__score *self = (const sotto__score *)witness;
    const double *y = answer->value;
    sotto__reading read = sotto__score_read(self, answer);
    double energy = sotto__score_energy(self, y);
    out->of = sotto__coarse(self->use(self, &read));
    for (uint32_t i = 0; i < witness->sure_count; i++) {
        out->sure[i] = sotto__coarse(self->sure[i](self, &read));
    }
    for (uint32_t k = 1; k <= SOTTO__RECALLED; k++) {
        const sotto__recollection *past = &self->past[k - 1];
        double *recall = out->recall[k - 1];
        double along =
            sotto__score_project(past->direction, self->middle, y, self->width) - past->offset;
        recall[0] = sotto__finite_or_zero(along);
        recall[1] = sotto__finite_or_zero((energy - past->energy_middle) * past->energy_factor);
        recall[2] = read.whole == NULL ? 0 : read.whole[k];
        recall[3] = read.cells == NULL ? 0 : read.cells[k];
        recall[4] = read.spelled[k];
    }
}

void sotto__score_free(sotto__witness *witness)
{
    sotto__score *self = (sotto__score *)witness;
    sotto__table_free(self->whole);
    sotto__table_free(self->cells);
    sotto__table_free(self->one);
    sotto__table_free(self->spelled);
    free(self->mean[0]);
    free(self);
}

/* The guesses whose sign indicates the secret. For answers of a single number, by_coordinate_table
 * equals by_table. */
static void list_sure(sotto__score *self)
{
    sotto__guess *const sure[] = {by_direction, by_table, by_cells};
    uint32_t count = sizeof sure / sizeof sure[0];
    memcpy(self->sure, sure, sizeof sure);
    if (self->width > 1) self->sure[count++] = by_coordinate_table;
    if (self->spelled != NULL) self->sure[count++] = by_spelling;
    assert(count <= SOTTO__SURE_WITNESSES_MAX);
    self->base.sure_count = count;
}

void sotto__score_begin(sotto__score *self)
{
    self->base = (sotto__witness){.of = learned_of,
                                  .sure = learned_sure,
                                  .recall_count = self->spelled == NULL ? 4 : 5,
                                  .hear = learned_hear,
                                  .free = sotto__score_free};
    list_sure(self);
}
