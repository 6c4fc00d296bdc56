#include "damaged.h"

#include <stdlib.h>
#include <string.h>

static void say(sottod_log *log, log_level level, const char *event, const damaged_one *one,
                const char *why)
{
    const log_value values[] = {
        {.name = "experiment", .text = one->id_text},
        {.name = "number", .number = one->number},
        {.name = why == NULL ? NULL : "why", .text = why},
        {.name = NULL},
    };
    log_write(log, level, event, values);
}

void damaged_begin(damaged_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        list->one[i].seen = false;
    }
}

/* NULL: no memory. */
static damaged_one *add(damaged_list *list)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        damaged_one *grown = realloc(list->one, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        list->one = grown;
        list->capacity = capacity;
    }
    return &list->one[list->count++];
}

void damaged_note(damaged_list *list, const journal_experiment *row, sottod_log *log)
{
    damaged_one found = {.number = row->number, .seen = true};
    for (uint32_t i = 0; i < list->count; i++) {
        damaged_one *known = &list->one[i];
        if (known->number != row->number || memcmp(known->id, row->id, sizeof row->id) != 0)
            continue;
        known->seen = true;
        return;
    }
    memcpy(found.id, row->id, sizeof found.id);
    spec_id_print(row->id, found.id_text);
    say(log, LOG_ERROR, "experiment_damaged", &found,
        "its row cannot be read, or its digest is wrong: restore that row from a copy");
    damaged_one *added = add(list);
    if (added != NULL) *added = found;
}

void damaged_end(damaged_list *list, sottod_log *log)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!list->one[i].seen) say(log, LOG_INFO, "experiment_repaired", &list->one[i], NULL);
        if (list->one[i].seen) list->one[kept++] = list->one[i];
    }
    list->count = kept;
}

void damaged_free(damaged_list *list)
{
    free(list->one);
    *list = (damaged_list){.count = 0};
}

bool damaged_has_number(const damaged_list *list, uint32_t number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->one[i].number == number) return true;
    }
    return false;
}

bool damaged_has_id(const damaged_list *list, const uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (memcmp(list->one[i].id, id, sizeof list->one[i].id) == 0) return true;
    }
    return false;
}
