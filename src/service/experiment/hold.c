/* Looking at an epoch that is due, and holding it. */
#include "inner.h"

#include <assert.h>
#include <string.h>

void hold_hear(experiment_hold *hold, const journal_held *held)
{
    const bool any = held->reports > 0;
    hold->fallback_ends = any && (held->alarms & JOURNAL_ALARM_HARM) != 0;
    hold->held = any && !hold->fallback_ends;
    hold->decision = any ? held->decision : JOURNAL_REPORTS;
    hold->epoch = held->epoch;
    hold->seen = (sotto__watch_verdict){.reports = 0};
    if (!hold->held) return; /* nothing was looked at */
    hold->seen.alarms = held->alarms;
    hold->seen.reports = held->reports;
}

void hold_end(experiment_hold *hold)
{
    hold->held = hold->fallback_ends = false;
    hold->decision = JOURNAL_REPORTS;
}

/* ---- control */

static bool write_down(sottod_journal *journal, uint32_t number, bool quarantine)
{
    return journal_begin(journal) &&
           experiments_finish(journal, journal_set_quarantine(journal, number, quarantine));
}

bool experiment_set_quarantine(sottod_experiments *all, sottod_experiment *experiment,
                               bool quarantine, sottod_refusal *why)
{
    const bool known = experiment->engine->hold.quarantine == quarantine;
    if (!write_down(all->journal, experiment->number, quarantine)) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
        return false;
    }
    experiment->engine->hold.quarantine = quarantine;
    if (known) return true;
    experiments_log(all, LOG_INFO, quarantine ? "quarantine_on" : "quarantine_off", experiment,
                    NULL, 0);
    return true;
}

static bool refuse_unheld(sottod_refusal *why)
{
    refusal_set(why, 409, "The watch holds no epoch of the experiment.", NULL, NULL, NULL);
    return false;
}

/* If another process publishes, a row that names the epoch tells it. */
static bool decide(sottod_experiments *all, const sottod_experiment *experiment,
                   journal_kind decision, sottod_refusal *why)
{
    bool held = false;
    if (!journal_begin(all->journal) ||
        !experiments_finish(all->journal,
                            journal_decide(all->journal, experiment->number,
                                           experiment->engine->hold.epoch, decision, &held))) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
        return false;
    }
    return held || refuse_unheld(why);
}

static bool is_held(const sottod_experiment *experiment)
{
    return experiment->engine != NULL && experiment->engine->hold.held;
}

static bool order(sottod_experiments *all, sottod_experiment *experiment, journal_kind wanted,
                  sottod_refusal *why)
{
    if (!is_held(experiment))
        all->kind->catch_up(all, experiment); /* we may not have heard of it yet */
    if (!is_held(experiment)) return refuse_unheld(why);
    experiment_hold *hold = &experiment->engine->hold;
    if (experiment->state != JOURNAL_OPEN) {
        refusal_set(why, 409, "The experiment is not open, so its epoch cannot end.", "state",
                    journal_state_name(experiment->state), "open");
        return false;
    }
    if (!decide(all, experiment, wanted, why)) return false;
    hold->decision = wanted;
    experiment->ready_ms = all->ready_ms = 0; /* this process does it at the next turn, */
    experiments_touch(all, experiment);       /* which is called at once */
    experiments_log(all, LOG_INFO, wanted == JOURNAL_PUBLISH ? "released" : "discarded", experiment,
                    "epoch", hold->epoch);
    return true;
}

bool experiment_release(sottod_experiments *all, sottod_experiment *experiment, sottod_refusal *why)
{
    return order(all, experiment, JOURNAL_PUBLISH, why);
}

bool experiment_discard(sottod_experiments *all, sottod_experiment *experiment, sottod_refusal *why)
{
    return order(all, experiment, JOURNAL_DISCARD, why);
}

/* ---- what is known */

experiment_watch experiment_watched(const sottod_experiment *experiment)
{
    static const experiment_hold none;
    const experiment_hold *hold = experiment->engine == NULL ? &none : &experiment->engine->hold;
    experiment_watch watch = {
        .quarantine = hold->quarantine,
        .held = hold->held,
        .has_chances = hold->has_chances,
        .discards = hold->held && hold->decision == JOURNAL_DISCARD,
        .ends = hold->held && hold->decision != JOURNAL_REPORTS,
        .reports_expected = hold->reports_expected,
        .epoch = hold->epoch,
        .reports = hold->seen.reports,
        .alarms = hold->seen.alarms,
    };
    static_assert(EXPERIMENT_WATCH_TESTS == SOTTO__WATCH_TESTS, "a test is missing");
    static_assert(JOURNAL_ALARM_HARM >> SOTTO__WATCH_TESTS >= 1, "a test has the bit of harm");
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        watch.chance[t] = hold->seen.chance[t];
    }
    return watch;
}

const char *experiment_watch_test(uint32_t test)
{
    return sotto__watch_name((sotto__watch_test)test);
}
