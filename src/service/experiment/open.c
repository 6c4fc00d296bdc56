/* All experiments of a service, read from its journal at the start. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <stdio.h>
#include <stdlib.h>

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
