/* All experiments of a service: read from the journal, and found by id. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16u

/* ---- found by id: an id is the digest of terms, so its first bytes are a good hash */

static uint32_t place_of(const sottod_experiments *all, const uint8_t *id)
{
    uint32_t hash;
    memcpy(&hash, id, sizeof hash);
    uint32_t place = hash & all->table_mask;
    while (all->table[place] != NULL &&
           memcmp(all->table[place]->id, id, SOTTO_SPEC_ID_BYTES) != 0) {
        place = (place + 1) & all->table_mask; /* ends: half of the places are free */
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
    (void)all->kind->catch_up(all, NULL);
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

void experiments_touch(sottod_experiments *all, sottod_experiment *experiment)
{
    if (experiment->touched || !all->kind->publishes) return;
    experiment->touched = true;
    all->touched[all->touched_count++] = experiment;
}

bool experiments_finish(sottod_journal *journal, bool done)
{
    if (done && journal_commit(journal)) return true;
    journal_abandon(journal);
    return false;
}

bool experiments_refuse(const sottod_experiments *all, sottod_refusal *why)
{
    refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
    return false;
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

bool experiments_take(sottod_experiments *all, const journal_experiment *row, uint64_t now_ms,
                      char fault[JOURNAL_FAULT_BYTES])
{
    snprintf(fault, JOURNAL_FAULT_BYTES, "experiment %u: out of memory", row->number);
    if (!experiments_reserve(all)) return false;
    sottod_experiment *experiment = experiment_new(all, row, now_ms, fault);
    if (experiment == NULL) return false;
    fault[0] = '\0';
    experiments_insert(all, experiment);
    return true;
}

typedef struct opening {
    sottod_experiments *all;
    uint64_t now_ms;
    char *fault;
} opening;

static bool take_experiment(void *context, const journal_experiment *row)
{
    const opening *self = context;
    if (row->damaged) {
        damaged_note(&self->all->damaged, row, self->all->log);
        return true;
    }
    return experiments_take(self->all, row, self->now_ms, self->fault);
}

static bool settings_are_usable(const experiments_settings *settings, char *fault)
{
    if (settings->nonces_max < 1000 || settings->nonces_max > SOTTO_NONCES_MAX) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "nonces_max = %u: allowed 1000 to %u",
                 settings->nonces_max, SOTTO_NONCES_MAX);
        return false;
    }
    if (settings->experiments_max < 1 || settings->experiments_max > 100000) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "experiments_max = %u: allowed 1 to 100000",
                 settings->experiments_max);
        return false;
    }
    return true;
}

/* Without it, all but the time of epochs is kept. */
static void open_pace(sottod_experiments *all)
{
    const char *path = all->settings.pace_file;
    all->pace = pace_open(path);
    all->settings.pace_file = NULL; /* the caller's */
    if (all->pace != NULL) return;
    const log_value values[] = {{.name = "file", .text = path}, {0}};
    log_write(all->log, LOG_WARNING, "no_epoch_times", values);
}

bool experiments_open(sottod_journal *journal, const experiments_settings *settings,
                      sottod_log *log, uint64_t now_ms, sottod_experiments **out,
                      char fault[JOURNAL_FAULT_BYTES])
{
    *out = NULL;
    fault[0] = '\0';
    if (!settings_are_usable(settings, fault)) return false;
    sottod_experiments *all = calloc(1, sizeof *all);
    if (all != NULL) totals_init(&all->totals);
    if (all == NULL || !experiments_reserve(all) ||
        (all->fold = fold_new(settings->threads)) == NULL) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "out of memory, or the system gave no thread");
        experiments_free(all);
        return false;
    }
    all->journal = journal;
    all->kind = journal_publishes_here(journal) ? &service_alone : &service_gateway;
    all->log = log;
    all->settings = *settings;
    all->boot = clock_boot();
    if (settings->pace_file != NULL) open_pace(all);
    all->ready_ms = all->tidy_ms = EXPERIMENT_NEVER_MS;
    all->keep_ms = all->scrub_ms = all->all_read_ms = now_ms;
    opening self = {all, now_ms, fault};
    if (!journal_read_experiments(journal, take_experiment, &self)) {
        if (fault[0] == '\0') snprintf(fault, JOURNAL_FAULT_BYTES, "%s", journal_fault(journal));
        experiments_free(all);
        return false;
    }
    if (!all->kind->recover(all, fault)) {
        experiments_free(all);
        return false;
    }
    for (uint32_t i = 0; i < all->live_count; i++) {
        experiment_resume_epoch(all, all->live[i], now_ms);
        experiments_touch(all, all->live[i]);
    }
    experiments_note_removal(all); /* a process that was killed may have left it undone */
    *out = all;
    return true;
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
