/* Open addressing: an answer stands in the first free slot at or after the one that its key names.
 * At most half of the slots are taken, so that every search ends. Most questions are for answers
 * that never came: a small array of bits, which stays in the cache, answers those. */
#include "table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct slot {
    uint64_t key;
    uint32_t count[2]; /* by secret; free if both are 0 */
} slot;

struct sotto__table {
    uint64_t mask, taken;
    slot *slots;   /* mask + 1, a power of 2 */
    uint64_t *met; /* FILTER_BITS: some key of this residue came */
};

#define FILTER_BITS (1u << 20)

sotto_status sotto__table_new(uint64_t answers_max, sotto__table **out)
{
    sotto__table *self = calloc(1, sizeof *self);
    *out = NULL;
    if (self == NULL) return SOTTO_E_MEMORY;
    uint64_t slots = 2;
    while (slots < 2 * answers_max) {
        slots *= 2;
    }
    self->mask = slots - 1;
    self->slots = calloc(slots, sizeof self->slots[0]);
    self->met = calloc(FILTER_BITS / 64, sizeof self->met[0]);
    if (self->slots == NULL || self->met == NULL) {
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
    free(self);
}

/* The upper half of the product depends on all bits of the key. */
static uint64_t place_of(uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

static bool is_free(const slot *at)
{
    return at->count[0] == 0 && at->count[1] == 0;
}

/* Where the key stands, or the free slot where it would. */
static slot *find(const sotto__table *self, uint64_t key)
{
    uint64_t i = place_of(key) & self->mask;
    while (!is_free(&self->slots[i]) && self->slots[i].key != key) {
        i = (i + 1) & self->mask;
    }
    return &self->slots[i];
}

void sotto__table_add(sotto__table *self, uint64_t key, uint32_t secret)
{
    slot *at = find(self, key);
    if (is_free(at)) {
        self->taken++;
        assert(2 * self->taken <= self->mask + 1);
        at->key = key;
    }
    at->count[secret]++;
    uint64_t bit = place_of(key) % FILTER_BITS;
    self->met[bit / 64] |= UINT64_C(1) << bit % 64;
}

double sotto__table_ratio(const sotto__table *self, uint64_t key)
{
    uint64_t bit = place_of(key) % FILTER_BITS;
    if ((self->met[bit / 64] >> bit % 64 & 1) == 0) return 0;
    const slot *at = find(self, key);
    if (is_free(at)) return 0;
    return log((at->count[0] + 0.5) / (at->count[1] + 0.5));
}
