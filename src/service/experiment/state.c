/* Open, paused, closed, deleted. */
#include "parts.h"

static bool refuse(sottod_refusal *why, uint32_t status, const char *error, journal_state from,
                   const char *allowed)
{
    refusal_set(why, status, error, "state", journal_state_name(from), allowed);
    return false;
}

static bool may_become(journal_state from, journal_state to, sottod_refusal *why)
{
    switch (from) {
    case JOURNAL_OPEN:
    case JOURNAL_PAUSED: return true;
    case JOURNAL_CLOSED:
        if (to == JOURNAL_CLOSED || to == JOURNAL_DELETED) return true;
        return refuse(why, 409, "The experiment is closed, for good.", from, "deleted");
    case JOURNAL_DELETED:
        if (to == JOURNAL_DELETED) return true;
        return refuse(why, 410, "The experiment is deleted, for good.", from, "none");
    }
    return refuse(why, 500, "The experiment has no known state.", from, NULL);
}

static bool write_down(sottod_journal *journal, uint32_t number, journal_state state)
{
    return journal_begin(journal) &&
           experiments_finish(journal, journal_set_state(journal, number, state));
}

void experiment_become(sottod_experiments *all, sottod_experiment *experiment, journal_state state)
{
    experiment->state = state;
    switch (state) {
    case JOURNAL_OPEN: experiments_touch(all, experiment); break;
    case JOURNAL_PAUSED: break;
    case JOURNAL_CLOSED:
        sotto_nonce_set_free(experiment->nonces);
        experiment->nonces = NULL;
        break;
    case JOURNAL_DELETED:
        experiments_forget(all, experiment);
        experiment_empty(experiment);
        all->scrub = true;
        break;
    }
    experiments_log(all, LOG_INFO, journal_state_name(state), experiment, NULL, 0);
}

/* In a shared journal another service may have set another one, and we did not hear of it yet. */
static bool is_so(const sottod_experiments *all, const sottod_experiment *experiment,
                  journal_state state)
{
    bool for_good = state == JOURNAL_DELETED;
    return experiment->state == state && (for_good || !journal_is_shared(all->journal));
}

bool experiment_set_state(sottod_experiments *all, sottod_experiment *experiment,
                          journal_state state, sottod_refusal *why)
{
    if (!may_become(experiment->state, state, why)) return false;
    if (is_so(all, experiment, state)) return true;
    if (!write_down(all->journal, experiment->number, state)) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
        return false;
    }
    if (experiment->state != state) experiment_become(all, experiment, state);
    return true;
}
