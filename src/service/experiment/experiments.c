/* All experiments of a service: read from the journal, and found by id. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16u

/* ---- finding by id: an id is a digest, so its first bytes are a good hash */

static uint32_t place_of(const sottod_experiments *all, const uint8_t *id)
{
    uint32_t hash;
    memcpy(&hash, id, sizeof hash);
    uint32_t place = hash & all->table_mask;
    while (all->table[place] != NULL &&
           memcmp(all->table[place]->id, id, SOTTO_SPEC_ID_BYTES) != 0) {
        place = (place + 1) & all->table_mask; /* ends, because half of the places are free */
    }
    return place;
}

sottod_experiment *experiments_find(const sottod_experiments *all,
                                    const uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    return all->table[place_of(all, id)];
}

sottod_experiment *experiments_seek(sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    sottod_experiment *found = experiments_find(all, id);
    if (found != NULL) return found;
    (void)all->kind->catch_up(all, NULL, NULL);
    return experiments_find(all, id);
}

const char *experiments_damaged(const sottod_experiments *all, uint32_t i)
{
    if (i < all->damaged.count) return all->damaged.one[i].id_text;
    i -= all->damaged.count;
    for (uint32_t k = 0; k < all->live_count; k++) {
        const sottod_experiment *one = all->live[k];
        if (one->blind && i-- == 0) return one->id_text;
    }
    return NULL;
}

bool experiments_is_damaged(const sottod_experiments *all, const uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    const sottod_experiment *found = experiments_find(all, id);
    return damaged_has_id(&all->damaged, id) || (found != NULL && found->blind);
}

uint32_t experiments_count(const sottod_experiments *all)
{
    return all->live_count;
}

sottod_experiment *experiments_at(const sottod_experiments *all, uint32_t i)
{
    return i < all->live_count ? all->live[i] : NULL;
}

/* ---- room for more */

static bool grow_list(sottod_experiment ***list, uint32_t capacity)
{
    sottod_experiment **grown = realloc(*list, capacity * sizeof grown[0]);
    if (grown == NULL) return false;
    *list = grown;
    return true;
}

static bool grow_table(sottod_experiments *all, uint32_t places)
{
    sottod_experiment **table = calloc(places, sizeof table[0]);
    if (table == NULL) return false;
    free(all->table);
    all->table = table;
    all->table_mask = places - 1;
    for (uint32_t i = 0; i < all->every_count; i++) {
        all->table[place_of(all, all->every[i]->id)] = all->every[i];
    }
    return true;
}

bool experiments_reserve(sottod_experiments *all)
{
    if (all->every_count < all->every_capacity) return true;
    uint32_t capacity = all->every_capacity == 0 ? FIRST_CAPACITY : 2 * all->every_capacity;
    if (!grow_list(&all->every, capacity) || !grow_list(&all->live, capacity) ||
        !grow_list(&all->touched, capacity) || !grow_list(&all->removing, capacity) ||
        !grow_table(all, 2 * capacity))
        return false;
    all->every_capacity = capacity;
    return true;
}

void experiments_insert(sottod_experiments *all, sottod_experiment *experiment)
{
    all->every[all->every_count++] = experiment;
    all->table[place_of(all, experiment->id)] = experiment;
    if (experiment->state == JOURNAL_DELETED) return;
    all->live[all->live_count++] = experiment;
    size_t body_bytes = experiment_body_bytes_max(experiment);
    if (body_bytes > all->body_bytes_max) all->body_bytes_max = body_bytes;
}

void experiments_forget(sottod_experiments *all, const sottod_experiment *experiment)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->live_count; i++) {
        if (all->live[i] != experiment) all->live[kept++] = all->live[i];
    }
    all->live_count = kept;
}

bool experiments_refuse(const sottod_experiments *all, sottod_refusal *why)
{
    return refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal)->sentence);
}

void experiments_log(const sottod_experiments *all, log_level level, const char *event,
                     const sottod_experiment *experiment, const char *name, uint64_t number)
{
    const log_value values[] = {
        {.name = "experiment", .text = experiment->id_text},
        {.name = name, .number = number},
        {.name = NULL},
    };
    log_write(all->log, level, event, values);
}

/* ---- read from the journal */

sotto_status experiments_take(sottod_experiments *all, const journal_experiment *row,
                              uint64_t now_ms, sotto_fault *fault)
{
    if (!experiments_reserve(all))
        return sotto__refuse(fault, "experiment %u: out of memory", row->number);
    sottod_experiment *experiment = experiment_new(all, row, now_ms, fault);
    if (experiment == NULL) return SOTTO_E_FAULT;
    experiments_insert(all, experiment);
    return SOTTO_OK;
}

void experiments_free(sottod_experiments *all)
{
    if (all == NULL) return;
    for (uint32_t i = 0; i < all->every_count; i++) {
        experiment_free(all->every[i]);
    }
    fold_free(all->fold);
    totals_free(&all->totals);
    pace_close(all->pace);
    damaged_free(&all->damaged);
    free(all->every);
    free(all->live);
    free(all->table);
    free(all->touched);
    free(all->removing);
    free(all);
}

/* ---- damaged rows */

static void say_damaged(sottod_log *log, log_level level, const char *event, const damaged_one *one,
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
static damaged_one *add_damaged(damaged_list *list)
{
    const bool has_room = list_grow(&list->one, list->count, &list->capacity, sizeof *list->one);
    return has_room ? &list->one[list->count++] : NULL;
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
    say_damaged(log, LOG_ERROR, "experiment_damaged", &found,
                "its row is unreadable, or its digest is wrong; restore the row from a copy");
    damaged_one *added = add_damaged(list);
    if (added != NULL) *added = found;
}

void damaged_end(damaged_list *list, sottod_log *log)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!list->one[i].seen)
            say_damaged(log, LOG_INFO, "experiment_repaired", &list->one[i], NULL);
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

/* ---- what waits */

#define ASK_MS 1000u

static bool ask(sottod_experiments *all, sottod_experiment *const *some, uint32_t count)
{
    uint32_t number[WAITING_ASKED_MAX] = {0};
    uint64_t reports[WAITING_ASKED_MAX];
    for (uint32_t i = 0; i < count; i++) {
        number[i] = some[i]->number;
    }
    bool known = journal_read_waiting(all->journal, number, count, reports);
    for (uint32_t i = 0; i < count; i++) {
        some[i]->knows_unfolded = known;
        if (known) some[i]->unfolded = reports[i];
    }
    return known;
}

void waiting_ask(sottod_experiments *all, sottod_experiment *experiment)
{
    (void)ask(all, &experiment, 1);
}

void waiting_ask_all(sottod_experiments *all, uint64_t now_ms)
{
    sottod_experiment *some[WAITING_ASKED_MAX];
    uint32_t count = all->live_count < WAITING_ASKED_MAX ? all->live_count : WAITING_ASKED_MAX;
    if (count == 0 || now_ms < all->waiting_ms) return;
    all->waiting_ms = now_ms + ASK_MS;
    for (uint32_t i = 0; i < count; i++) {
        some[i] = all->live[(all->waiting_next + i) % all->live_count];
    }
    all->waiting_next = (all->waiting_next + count) % all->live_count;
    if (ask(all, some, count)) return;
    for (uint32_t i = 0; i < all->live_count; i++) {
        all->live[i]->knows_unfolded = false;
    }
}

bool waiting_reports(const sottod_experiment *experiment, uint64_t *reports)
{
    *reports = experiment->unfolded;
    return experiment->knows_unfolded;
}
