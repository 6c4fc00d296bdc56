#include "core/core.h"
#include "dataset.h"
#include "inner.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ==== levels ================================================================================= */

/* Words as indices: a hash table with open addresses, at most half full. */

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

/* ==== handle ================================================================================= */

/* Schemas as others hold them: made, written and freed whole. */

/* Room for a schema. */
static sotto_status schema_new(sotto_schema **out, sotto_fault *fault)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SOTTO_OK : sotto__fault_status(fault, SOTTO_E_MEMORY);
}

/* Gives back what `wrong` leaves unused. */
static sotto_status finish(sotto_status wrong, sotto_schema **out)
{
    if (wrong == SOTTO_OK) return SOTTO_OK;
    free(*out);
    *out = NULL;
    return wrong;
}

sotto_status sotto_schema_read(const char *path, sotto_schema **out, sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    if (path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status wrong = schema_new(out, fault);
    if (wrong == SOTTO_OK) wrong = sotto__schema_read(path, *out, fault);
    return finish(wrong, out);
}

sotto_draft sotto_draft_default(void)
{
    return (sotto_draft){.format = SOTTO_DATASET_CSV, .header = SOTTO_HEADER_GUESS};
}

static sotto_status draft_fault(const sotto_draft *draft, sotto_fault *fault)
{
    char separator = draft->separator;
    if (draft->format != SOTTO_DATASET_CSV && draft->format != SOTTO_DATASET_LIBSVM) {
        return sotto__fault_at(fault, "format", "%u: not known", (unsigned)draft->format);
    }
    if (draft->header > SOTTO_HEADER_YES) {
        return sotto__fault_at(fault, "header", "%u: not known", (unsigned)draft->header);
    }
    if (separator != '\0' && strchr(SOTTO__SEPARATORS, separator) == NULL) {
        return sotto__fault_at(fault, "separator",
                               ": allowed are comma, semicolon, tab, bar, blank");
    }
    if (draft->decimal != '\0' && draft->decimal != '.' && draft->decimal != ',') {
        return sotto__fault_at(fault, "decimal", ": allowed are point, comma");
    }
    double chance = draft->constant_propensity;
    if (chance != 0 && !(chance > 0 && chance <= 1)) {
        return sotto__fault_at(fault, "constant_propensity", "%.15g: allowed above 0, to 1",
                               chance);
    }
    for (uint32_t i = 0; i < draft->ignored_count; i++) {
        if (draft->ignored == NULL || draft->ignored[i] == NULL)
            return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    }
    return SOTTO_OK;
}

sotto_status sotto_schema_draft(const sotto_draft *draft, const char *path, sotto_schema **out,
                                sotto_fault *fault)
{
    if (out == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    *out = NULL;
    if (draft == NULL || path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status wrong = draft_fault(draft, fault);
    if (wrong == SOTTO_OK) wrong = schema_new(out, fault);
    if (wrong == SOTTO_OK) wrong = sotto__schema_draft(draft, path, *out, fault);
    return finish(wrong, out);
}

sotto_status sotto_schema_write(const sotto_schema *schema, const char *path, sotto_fault *fault)
{
    if (schema == NULL || path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        sotto__schema_write(schema, file);
        written = ferror(file) == 0;
        if (fclose(file) != 0) written = false;
    }
    if (written) return SOTTO_OK;
    return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
}

void sotto_schema_free(sotto_schema *schema)
{
    if (schema == NULL) return;
    sotto__schema_free(schema);
    free(schema);
}
