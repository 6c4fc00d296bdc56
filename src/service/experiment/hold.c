/* Why an epoch may not end as usual: the watch holds it, or the fallback ends with it. */
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- control */

static bool write_down(sottod_journal *journal, uint32_t number, bool quarantine)
{
    return journal_begin(journal) &&
           journal_finish(journal, journal_set_quarantine(journal, number, quarantine));
}

bool experiment_set_quarantine(sottod_experiments *all, sottod_experiment *experiment,
                               bool quarantine, sottod_refusal *why)
{
    const bool known = experiment->engine->hold.quarantine == quarantine;
    if (!write_down(all->journal, experiment->number, quarantine))
        return experiments_refuse(all, why);
    experiment->engine->hold.quarantine = quarantine;
    if (known) return true;
    experiments_log(all, LOG_INFO, quarantine ? "quarantine_on" : "quarantine_off", experiment,
                    NULL, 0);
    return true;
}

static bool refuse(sottod_refusal *why, const char *error)
{
    return refusal_set(why, 409, error, NULL, NULL, NULL);
}

static bool refuse_unheld(sottod_refusal *why)
{
    return refuse(why, "The watch holds no epoch of the experiment.");
}

/* If another process publishes, a row naming the epoch tells it. */
static bool decide(sottod_experiments *all, const sottod_experiment *experiment,
                   journal_kind decision, sottod_refusal *why)
{
    bool held = false;
    if (!journal_begin(all->journal) ||
        !journal_finish(all->journal,
                        journal_decide(all->journal, experiment->number,
                                       experiment->engine->hold.epoch, decision, &held)))
        return experiments_refuse(all, why);
    return held || refuse_unheld(why);
}

static bool is_open(const sottod_experiment *experiment, sottod_refusal *why)
{
    if (experiment->state == JOURNAL_OPEN) return true;
    return refusal_set(why, 409, "The experiment is not open, so its epoch cannot end.", "state",
                       journal_state_name(experiment->state), "open");
}

static bool is_held(const sottod_experiment *experiment)
{
    return experiment->engine != NULL && experiment->engine->hold.held;
}

static bool order(sottod_experiments *all, sottod_experiment *experiment, journal_kind wanted,
                  sottod_refusal *why)
{
    /* this process may not know of it yet */
    if (!is_held(experiment)) all->kind->catch_up(all, experiment, NULL);
    if (!is_held(experiment)) return refuse_unheld(why);
    experiment_hold *hold = &experiment->engine->hold;
    if (!is_open(experiment, why) || !decide(all, experiment, wanted, why)) return false;
    hold->decision = wanted;
    experiment->ready_ms = all->ready_ms = 0; /* this process does it at the next turn, */
    all->kind->touch(all, experiment);        /* which is called at once */
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

/* ---- the fallback */

sotto_harm experiment_harm(const sottod_experiment *experiment)
{
    sotto_harm harm = {.verdict = SOTTO_HARM_UNKNOWN, .better_arm = UINT32_MAX};
    if (experiment->engine == NULL ||
        sotto_learner_harm(experiment->engine->learner, &harm) != SOTTO_OK ||
        harm.verdict == SOTTO_HARM_UNKNOWN)
        return harm;
    sotto__harm shown;
    sotto__harm_derive(&experiment->engine->results.shown, &shown);
    harm.uplift_hi = harm.recent_uplift_hi = NAN;
    if (harm.restarts == 0)
        sotto__harm_upper(&experiment->engine->terms, &shown, &harm.uplift_hi,
                          &harm.recent_uplift_hi);
    harm.better_arm =
        sotto__better_arm(&experiment->engine->terms, &experiment->engine->results.shown);
    harm.ends = harm.ends || (harm.served_epoch > 0 && experiment->engine->hold.fallback_ends);
    return harm;
}

bool experiment_end_fallback(sottod_experiments *all, sottod_experiment *experiment,
                             sottod_refusal *why)
{
    sotto_harm harm = experiment_harm(experiment);
    if (harm.served_epoch == 0 && all->kind->catch_up(all, experiment, NULL))
        harm = experiment_harm(experiment);
    if (harm.served_epoch == 0) return refuse(why, "The experiment serves no fallback.");
    if (!is_open(experiment, why)) return false;
    bool done = !is_held(experiment);
    if (done && harm.ends) return true;
    if (done && !all->kind->end_fallback(all, experiment, &done))
        return experiments_refuse(all, why);
    if (!done) return refuse(why, "The watch holds the open epoch. Release or discard it first.");
    experiments_log(all, LOG_INFO, "fallback_ends", experiment, "epoch",
                    experiment_epoch(experiment));
    return true;
}
