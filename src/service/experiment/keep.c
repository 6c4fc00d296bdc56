/*
 * Snapshots, and the removal of what is no longer needed: frames of closed epochs that are in a snapshot, the details
 * of old history, and traces of removed rows in the journal's files. */
#include "inner.h"

#include <stdlib.h>

#define SNAPSHOT_MS (10u * 60u * 1000u)
#define SCRUB_MS (60u * 1000u)
#define TIDY_MS (60u * 60u * 1000u)
#define RETRY_MS 1000u
#define SNAPSHOTS_MAX 4u /* per turn: each waits for the disk, and requests wait meanwhile */
#define HEAVY 4u         /* times the learner's bytes */

/* Rows of older epochs are superfluous once they are in a snapshot. A closed experiment has no open epoch. */
static uint64_t oldest_open(const sottod_experiment *experiment)
{
    return experiment->state == JOURNAL_CLOSED ? UINT64_MAX : engine_oldest(experiment->engine);
}

void experiment_rows_add(experiment_rows *rows, uint64_t seq, size_t frames_bytes)
{
    rows->last = seq;
    if (seq > rows->snapshot) rows->unsaved_bytes += frames_bytes;
}

static bool wants_keeping(const sottod_experiment *experiment, bool keep_reports)
{
    if (experiment->model == NULL) return false; /* and its learner cannot be encoded */
    const experiment_rows *rows = &experiment->life->rows;
    return rows->last > rows->snapshot || (rows->overdue && !keep_reports);
}

bool experiment_is_heavy(const sottod_experiment *experiment)
{
    return experiment->life->rows.unsaved_bytes / HEAVY >=
           sotto_learner_bytes(experiment->engine->learner);
}

/* ---- slices: a long epoch is removed in parts, because all requests wait meanwhile */

bool experiment_remove_slice(sottod_experiments *all, const sottod_experiment *experiment,
                             uint64_t oldest, experiment_slice *slice)
{
    *slice = (experiment_slice){.to = 0};
    if (all->settings.keep_reports) return true;
    if (!journal_slice(all->journal, experiment->number, oldest, &slice->to, &slice->more))
        return false;
    return slice->to == 0 || journal_remove_rows(all->journal, experiment->number, slice->to);
}

void experiment_slice_removed(sottod_experiments *all, sottod_experiment *experiment,
                              const experiment_slice *slice)
{
    experiment->life->rows.overdue = slice->more;
    all->scrub = all->scrub || slice->to > 0;
    if (!slice->more || experiment->removing) return;
    experiment->removing = true;
    all->removing[all->removing_count++] = experiment;
}

/* Removes one slice. The rows of a deleted experiment are removed with it. */
static bool remove_some(sottod_experiments *all)
{
    if (all->removing_count == 0) return true;
    sottod_experiment *experiment = all->removing[all->removing_count - 1];
    const bool is_there = experiment->state != JOURNAL_DELETED;
    experiment_slice slice;
    if (is_there) {
        if (!journal_begin(all->journal)) return false;
        bool done = experiment_remove_slice(all, experiment, oldest_open(experiment), &slice);
        if (!journal_finish(all->journal, done)) return false;
    }
    all->removing_count--;
    experiment->removing = false;
    if (is_there) experiment_slice_removed(all, experiment, &slice);
    return true;
}

/* ---- snapshots */

static bool write_down(sottod_experiments *all, const sottod_experiment *experiment,
                       const journal_snapshot *snapshot, experiment_slice *slice)
{
    if (!journal_begin(all->journal)) return false;
    bool done = journal_put_snapshot(all->journal, snapshot) &&
                experiment_remove_slice(all, experiment, oldest_open(experiment), slice);
    return journal_finish(all->journal, done);
}

bool experiment_keep(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms)
{
    experiment_rows *rows = &experiment->life->rows;
    size_t bytes = sotto_learner_bytes(experiment->engine->learner);
    uint8_t *learner = malloc(bytes);
    experiment_slice slice;
    journal_snapshot snapshot = {
        .experiment = experiment->number,
        .seq = rows->last,
        .counts = experiment->engine->counts,
        .learner = {learner, bytes},
    };
    bool kept = learner != NULL &&
                sotto_learner_encode(experiment->engine->learner, learner, bytes) == SOTTO_OK &&
                write_down(all, experiment, &snapshot, &slice);
    free(learner);
    if (!kept) return false;
    rows->snapshot = rows->last;
    rows->unsaved_bytes = 0;
    experiment->snapshot_ms = now_ms;
    experiment_slice_removed(all, experiment, &slice);
    return true;
}

/* Writes a few of the periodic snapshots that are due, from keep_next on, and computes when the next one is. */
static bool keep_some(sottod_experiments *all, uint64_t now_ms)
{
    bool kept = true;
    uint32_t left = SNAPSHOTS_MAX;
    if (now_ms < all->keep_ms) return true;
    all->keep_ms = now_ms + SNAPSHOT_MS;
    for (uint32_t i = 0; i < all->live_count && left > 0; i++) {
        sottod_experiment *experiment = all->live[all->keep_next++ % all->live_count];
        const uint64_t due_ms = experiment->snapshot_ms + SNAPSHOT_MS;
        if (due_ms > now_ms) {
            if (due_ms < all->keep_ms) all->keep_ms = due_ms;
        } else if (wants_keeping(experiment, all->settings.keep_reports)) {
            kept = experiment_keep(all, experiment, now_ms) && kept;
            left--;
        }
    }
    if (!kept) {
        all->keep_ms = now_ms + RETRY_MS;
    } else if (left == 0) {
        all->keep_ms = now_ms; /* there may be more */
    }
    return kept;
}

/* Does one slice of deleted experiments or old history; after the last slice it rests for an hour. */
static bool tidy(sottod_experiments *all, uint64_t now_ms, uint64_t minute)
{
    const uint64_t week = EPOCHS_HISTORY_WEEK_MIN;
    bool more = false;
    if (now_ms < all->tidy_ms) return true;
    bool done =
        journal_begin(all->journal) &&
        journal_finish(all->journal,
                       journal_tidy(all->journal, minute < week ? 0 : minute - week, &more));
    all->untidy = more || !done;
    all->tidy_ms = now_ms + (!done ? RETRY_MS : more ? 0 : TIDY_MS);
    return done;
}

void experiments_overwrite_removed(sottod_experiments *all)
{
    all->scrub = all->untidy = all->every_count > 0;
    all->tidy_ms = 0;
}

/* Refused while another process reads the journal: that is no failure, and it is retried. */
static void scrub(sottod_experiments *all)
{
    if (!all->scrub) return;
    all->scrub = !journal_scrub(all->journal);
    if (!all->scrub) return;
    log_why(all->log, LOG_WARNING, "scrub_put_off", journal_fault(all->journal)->sentence);
}

bool experiments_keep_house(sottod_experiments *all, uint64_t now_ms, uint64_t minute)
{
    bool kept = remove_some(all) && keep_some(all, now_ms);
    bool tidied = tidy(all, now_ms, minute);
    if (all->scrub && all->removing_count == 0 && !all->untidy && now_ms >= all->scrub_ms) {
        all->scrub_ms = now_ms + SCRUB_MS;
        scrub(all);
    }
    return kept && tidied;
}

uint64_t experiments_house_ms(const sottod_experiments *all)
{
    uint64_t next_ms = all->keep_ms < all->tidy_ms ? all->keep_ms : all->tidy_ms;
    if (all->removing_count > 0) return 0;
    return all->scrub && !all->untidy && all->scrub_ms < next_ms ? all->scrub_ms : next_ms;
}

bool epochs_keep(sottod_experiments *all)
{
    bool kept = true;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        if (!wants_keeping(experiment, all->settings.keep_reports)) continue;
        kept = experiment_keep(all, experiment, experiment->snapshot_ms) && kept;
    }
    while (kept && all->removing_count > 0) {
        kept = remove_some(all);
    }
    while (kept && all->untidy) {
        kept = tidy(all, UINT64_MAX - TIDY_MS, 0); /* deleted ones, at any time */
    }
    scrub(all);
    return kept;
}
