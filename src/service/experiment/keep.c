/*
 * Snapshots, and the removal of what is not needed any more: frames of closed epochs that are in a
 * snapshot, the details of old history, and what is left of removed rows in the journal's files.
 */
#include "parts.h"

#include <stdlib.h>

#define SNAPSHOT_MS (10u * 60u * 1000u)
#define SCRUB_MS (60u * 1000u)
#define THIN_MS (60u * 60u * 1000u)
#define RETRY_MS 1000u
#define HEAVY 4u /* times the learner's bytes */

/* Once all its rows are in a snapshot. A closed one has no open epoch. */
static uint64_t removable(const sottod_experiment *experiment, bool keep_reports)
{
    const experiment_rows *rows = &experiment->life->rows;
    if (keep_reports) return 0;
    if (experiment->state == JOURNAL_CLOSED) return rows->oldest == 0 ? 0 : rows->last;
    return experiment_rows_removable(rows, rows->last, experiment_oldest_open(experiment));
}

bool experiment_wants_keeping(const sottod_experiment *experiment, bool keep_reports)
{
    if (experiment->model == NULL) return false; /* nor can its learner be encoded */
    return experiment->life->rows.last > experiment->life->rows.snapshot ||
           removable(experiment, keep_reports) > 0;
}

bool experiment_is_heavy(const sottod_experiment *experiment)
{
    return experiment->life->rows.unsaved_bytes / HEAVY >= sotto_learner_bytes(experiment->learner);
}

static bool write_down(sottod_journal *journal, const journal_snapshot *snapshot,
                       uint64_t remove_to)
{
    if (!journal_begin(journal)) return false;
    bool done = journal_put_snapshot(journal, snapshot) &&
                (remove_to == 0 || journal_remove_rows(journal, snapshot->experiment, remove_to));
    return experiments_finish(journal, done);
}

bool experiment_keep(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms)
{
    experiment_rows *rows = &experiment->life->rows;
    size_t bytes = sotto_learner_bytes(experiment->learner);
    uint8_t *learner = malloc(bytes);
    uint64_t remove_to = removable(experiment, all->settings.keep_reports);
    journal_snapshot snapshot = {
        .experiment = experiment->number,
        .seq = rows->last,
        .counts = experiment->life->counts,
        .learner = {learner, bytes},
    };
    bool kept = learner != NULL &&
                sotto_learner_encode(experiment->learner, learner, bytes) == SOTTO_OK &&
                write_down(all->journal, &snapshot, remove_to);
    free(learner);
    if (!kept) return false;
    experiment_rows_saved(rows);
    experiment->snapshot_ms = now_ms;
    if (remove_to == 0) return true;
    experiment_rows_removed(rows, remove_to);
    all->scrub = true;
    return true;
}

/* Snapshots that are due by time; finds out when the next one is. */
static bool keep_all(sottod_experiments *all, uint64_t now_ms)
{
    bool kept = true;
    if (now_ms < all->keep_ms) return true;
    all->keep_ms = now_ms + SNAPSHOT_MS;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        uint64_t due_ms = experiment->snapshot_ms + SNAPSHOT_MS;
        if (due_ms <= now_ms && experiment_wants_keeping(experiment, all->settings.keep_reports) &&
            !experiment_keep(all, experiment, now_ms)) {
            kept = false;
            all->keep_ms = now_ms + RETRY_MS;
        } else if (due_ms > now_ms && due_ms < all->keep_ms) {
            all->keep_ms = due_ms;
        }
    }
    return kept;
}

static bool thin(sottod_experiments *all, uint64_t now_ms, uint64_t minute)
{
    if (now_ms < all->thin_ms) return true;
    all->thin_ms = now_ms + THIN_MS;
    if (minute < EPOCHS_HISTORY_WEEK_MIN) return true;
    uint64_t before_minute = minute - EPOCHS_HISTORY_WEEK_MIN;
    return journal_begin(all->journal) &&
           experiments_finish(all->journal, journal_thin_history(all->journal, before_minute));
}

/* Refused while another process reads the journal: no failure, it is tried again. */
static void scrub(sottod_experiments *all)
{
    if (!all->scrub) return;
    all->scrub = !journal_scrub(all->journal);
    if (!all->scrub) return;
    const log_value values[] = {{.name = "why", .text = journal_fault(all->journal)}, {0}};
    log_write(all->log, LOG_WARNING, "scrub_put_off", values);
}

bool experiments_keep_house(sottod_experiments *all, uint64_t now_ms, uint64_t minute)
{
    bool kept = keep_all(all, now_ms);
    bool thinned = thin(all, now_ms, minute);
    if (all->scrub && now_ms >= all->scrub_ms) {
        all->scrub_ms = now_ms + SCRUB_MS;
        scrub(all);
    }
    return kept && thinned;
}

uint64_t experiments_house_ms(const sottod_experiments *all)
{
    uint64_t next_ms = all->keep_ms < all->thin_ms ? all->keep_ms : all->thin_ms;
    return all->scrub && all->scrub_ms < next_ms ? all->scrub_ms : next_ms;
}

bool experiments_keep_all(sottod_experiments *all)
{
    bool kept = true;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        if (!experiment_wants_keeping(experiment, all->settings.keep_reports)) continue;
        kept = experiment_keep(all, experiment, experiment->snapshot_ms) && kept;
    }
    scrub(all);
    return kept;
}
