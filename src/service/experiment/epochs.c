#include "experiment.h"
#include "inner.h"
#include "service/system/system.h"

#include <math.h>

/* ==== state ================================================================================== */

/* Open, paused, closed, deleted. */

static bool refuse(sottod_refusal *why, uint32_t status, const char *error, journal_state from,
                   const char *allowed)
{
    return refusal_set(why, status, error, "state", journal_state_name(from), allowed);
}

static bool may_become(journal_state from, journal_state to, sottod_refusal *why)
{
    switch (from) {
    case JOURNAL_OPEN:
    case JOURNAL_PAUSED: return true;
    case JOURNAL_CLOSED:
        if (to == JOURNAL_CLOSED || to == JOURNAL_DELETED) return true;
        return refuse(why, 409, "The experiment is closed and cannot be reopened.", from,
                      "deleted");
    case JOURNAL_DELETED:
        if (to == JOURNAL_DELETED) return true;
        return refuse(why, 410, "The experiment is deleted and cannot be restored.", from, "none");
    }
    return refuse(why, 500, "The state of the experiment is unknown.", from, NULL);
}

static bool write_down(sottod_journal *journal, uint32_t number, journal_state state)
{
    return journal_begin(journal) &&
           journal_finish(journal, journal_set_state(journal, number, state));
}

void experiment_become(sottod_experiments *all, sottod_experiment *experiment, journal_state state)
{
    experiment->state = state;
    switch (state) {
    case JOURNAL_OPEN: all->kind->touch(all, experiment); break;
    case JOURNAL_PAUSED: break;
    case JOURNAL_CLOSED:
        sotto_nonce_set_free(experiment->engine->nonces);
        experiment->engine->nonces = NULL;
        copies_free(experiment->copies);
        experiment->copies = NULL;
        experiment->life->rows.overdue = experiment->life->rows.last > 0;
        break;
    case JOURNAL_DELETED:
        totals_note_age(&all->totals, experiment->number, NAN);
        experiments_forget(all, experiment);
        experiment_empty(experiment);
        all->kind->overwrite_removed(all);
        break;
    }
    experiments_log(all, LOG_INFO, journal_state_name(state), experiment, NULL, 0);
}

bool experiment_set_state(sottod_experiments *all, sottod_experiment *experiment,
                          journal_state state, sottod_refusal *why)
{
    if (!may_become(experiment->state, state, why)) return false;
    /* otherwise another process may have changed it since */
    if (experiment->state == JOURNAL_DELETED) return true;
    if (!write_down(all->journal, experiment->number, state)) return experiments_refuse(all, why);
    if (experiment->state != state) experiment_become(all, experiment, state);
    return true;
}

/* ==== epochs ================================================================================= */

#define RETRY_MS 1000u

void experiment_begin_epoch(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms)
{
    const pace_time now = {all->boot, now_ms, clock_wall_s()};
    engine_lasts(experiment->engine, 0, now_ms);
    if (all->pace != NULL)
        pace_note(all->pace, experiment->number, experiment_epoch(experiment), &now);
}

void experiment_resume_epoch(sottod_experiments *all, sottod_experiment *experiment,
                             uint64_t now_ms)
{
    const pace_time now = {all->boot, now_ms, clock_wall_s()};
    uint64_t lasted_ms;
    if (all->pace != NULL && pace_lasted(all->pace, experiment->number,
                                         experiment_epoch(experiment), &now, &lasted_ms)) {
        engine_lasts(experiment->engine, lasted_ms, now_ms);
    } else {
        experiment_begin_epoch(all, experiment, now_ms);
    }
}

bool epochs_turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    const bool done = all->kind->turn(all, now_ms, minute, drained);
    bool kept = now_ms < experiments_house_ms(all) || experiments_keep_house(all, now_ms, minute);
    all->failed = !done || !kept;
    return !all->failed;
}

int epochs_timeout_ms(const sottod_experiments *all, uint64_t now_ms)
{
    const uint64_t wait_ms = all->kind->wait_ms(all, now_ms);
    if (all->touched_count > 0) return 0;
    uint64_t house_ms = experiments_house_ms(all);
    /* An experiment that is ready but was not published waits for the next turns, or for the journal. */
    uint64_t next_ms = all->ready_ms < house_ms ? all->ready_ms : house_ms;
    if (all->failed && next_ms < now_ms + RETRY_MS) next_ms = now_ms + RETRY_MS;
    uint64_t left_ms = next_ms <= now_ms ? 0 : next_ms - now_ms;
    if (wait_ms < left_ms) left_ms = wait_ms;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

void epochs_arrives(sottod_experiment *experiment)
{
    experiment->received = true;
}

void epochs_notice(sottod_experiments *all)
{
    uint32_t number;
    if (journal_changed(all->journal)) all->stale = true;
    while (journal_changed_one(all->journal, &number)) {
        if (all->named_count < EXPERIMENTS_NAMED_MAX) {
            all->named[all->named_count++] = number;
        } else {
            all->stale = true; /* everything must be read again */
        }
    }
}

uint64_t epochs_published(const sottod_experiments *all)
{
    return all->publishes;
}

uint64_t epochs_published_in_backlog(const sottod_experiments *all)
{
    return all->publishes_in_backlog;
}
