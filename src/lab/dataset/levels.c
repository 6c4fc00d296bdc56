#include "core/core.h"
#include "dataset.h"
#include "inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Maps words to indices: a hash table with open addressing, at most half full. */

/* FNV-1a, 32 bits (Fowler, Noll, Vo). Tables are small: words that collide cost little. */
static uint32_t hash(const char *text, size_t bytes)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    }
    return h ^ h >> 15;
}

/* The slot that holds the word, or the free one where it would be. */
static uint32_t slot_of(const sotto__levels *levels, const char *text, size_t bytes)
{
    uint32_t at = hash(text, bytes) & levels->mask;
    while (levels->slot[at].text != NULL) {
        const struct sotto__level_slot *slot = &levels->slot[at];
        if (slot->bytes == bytes && memcmp(slot->text, text, bytes) == 0) break;
        at = (at + 1) & levels->mask;
    }
    return at;
}

sotto_status sotto__levels_new(sotto__levels *levels, uint32_t count)
{
    uint32_t slots = 4;
    while (slots < 2 * count) {
        slots *= 2;
    }
    *levels = (sotto__levels){.mask = slots - 1};
    levels->slot = calloc(slots, sizeof *levels->slot);
    return levels->slot == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

bool sotto__levels_add(sotto__levels *levels, const char *text, size_t bytes, uint32_t index)
{
    assert(2 * levels->count <= levels->mask);
    struct sotto__level_slot *slot = &levels->slot[slot_of(levels, text, bytes)];
    if (slot->text != NULL) return false;
    *slot = (struct sotto__level_slot){.text = text, .bytes = (uint32_t)bytes, .index = index};
    levels->count++;
    return true;
}

uint32_t sotto__levels_find(const sotto__levels *levels, const char *text, size_t bytes)
{
    const struct sotto__level_slot *slot = &levels->slot[slot_of(levels, text, bytes)];
    return slot->text == NULL ? UINT32_MAX : slot->index;
}

void sotto__levels_free(sotto__levels *levels)
{
    free(levels->slot);
    *levels = (sotto__levels){0};
}
