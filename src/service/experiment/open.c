/* All experiments of a service, read from its journal at startup. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <stdlib.h>

typedef struct opening {
    sottod_experiments *all;
    uint64_t now_ms;
    sotto_fault *fault;
} opening;

static bool take_experiment(void *context, const journal_experiment *row)
{
    const opening *self = context;
    if (row->damaged) {
        damaged_note(&self->all->damaged, row, self->all->log);
        return true;
    }
    return experiments_take(self->all, row, self->now_ms, self->fault) == SOTTO_OK;
}

static sotto_status settings_fault(const experiments_settings *settings, sotto_fault *fault)
{
    if (settings->nonces_max < 1000 || settings->nonces_max > SOTTO_NONCES_MAX)
        return sotto__fault_at(fault, "nonces_max", "%u: allowed 1000 to %u", settings->nonces_max,
                               SOTTO_NONCES_MAX);
    if (settings->experiments_max < 1 || settings->experiments_max > 100000)
        return sotto__fault_at(fault, "experiments_max", "%u: allowed 1 to 100000",
                               settings->experiments_max);
    return SOTTO_OK;
}

/* Without the file, only the age of epochs is lost at a restart. */
static void open_pace(sottod_experiments *all)
{
    const char *path = all->settings.pace_file;
    all->pace = pace_open(path);
    all->settings.pace_file = NULL; /* owned by the caller */
    if (all->pace != NULL) return;
    const log_value values[] = {{.name = "file", .text = path}, {0}};
    log_write(all->log, LOG_WARNING, "no_epoch_times", values);
}

sotto_status experiments_open(sottod_journal *journal, const experiments_settings *settings,
                              sottod_log *log, uint64_t now_ms, sottod_experiments **out,
                              sotto_fault *fault)
{
    *out = NULL;
    sotto_status status = settings_fault(settings, fault);
    if (status != SOTTO_OK) return status;
    sottod_experiments *all = calloc(1, sizeof *all);
    if (all != NULL) totals_init(&all->totals);
    if (all == NULL || !experiments_reserve(all) ||
        (all->fold = fold_new(settings->threads)) == NULL) {
        experiments_free(all);
        return sotto__refuse(fault, "out of memory, or the system gave no thread");
    }
    all->journal = journal;
    all->kind = journal_publishes_here(journal) ? &service_alone : &service_gateway;
    all->log = log;
    all->settings = *settings;
    all->boot = clock_boot();
    if (settings->pace_file != NULL) open_pace(all);
    all->ready_ms = all->tidy_ms = EXPERIMENT_NEVER_MS;
    all->keep_ms = all->scrub_ms = all->all_read_ms = now_ms;
    fault->sentence[0] = '\0';
    opening self = {all, now_ms, fault};
    if (journal_read_experiments(journal, take_experiment, &self)) {
        status = all->kind->recover(all, fault);
    } else {
        status = SOTTO_E_FAULT;
        if (fault->sentence[0] == '\0') *fault = *journal_fault(journal);
    }
    if (status != SOTTO_OK) {
        experiments_free(all);
        return status;
    }
    for (uint32_t i = 0; i < all->live_count; i++) {
        experiment_resume_epoch(all, all->live[i], now_ms);
        all->kind->touch(all, all->live[i]);
    }
    all->kind->overwrite_removed(all); /* a killed process may have left traces */
    *out = all;
    return SOTTO_OK;
}
