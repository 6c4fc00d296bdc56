/* Looking at an epoch that is due, and holding it. */
#include "parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void hold_print_alarms(uint32_t alarms, char text[HOLD_TESTS_BYTES])
{
    text[0] = '\0';
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        if ((alarms >> t & 1) == 0) continue;
        if (text[0] != '\0') strcat(text, ",");
        strcat(text, sotto__watch_name((sotto__watch_test)t));
    }
}

void hold_tell_age(sottod_log *log, const char *id_text, uint32_t epoch, double before, double age)
{
    char text[32];
    if (!(age > HOLD_AGE_MAX) || before > HOLD_AGE_MAX) return;
    snprintf(text, sizeof text, "%.1f", age);
    const log_value values[] = {
        {.name = "experiment", .text = id_text},
        {.name = "epoch", .number = epoch},
        {.name = "age_epochs", .text = text},
        {0},
    };
    log_write(log, LOG_WARNING, "reports_are_old", values);
}

static void say(const sottod_experiments *all, const sottod_experiment *experiment,
                const char *event)
{
    char tests[HOLD_TESTS_BYTES];
    hold_print_alarms(experiment->life->hold.seen.alarms, tests);
    const log_value values[] = {
        {.name = "experiment", .text = experiment->id_text},
        {.name = "epoch", .number = experiment->life->hold.epoch},
        {.name = "tests", .text = tests},
        {0},
    };
    log_write(all->log, LOG_WARNING, event, values);
}

static void look(sottod_experiments *all, sottod_experiment *experiment)
{
    experiment_hold *hold = &experiment->life->hold;
    hold->seen =
        sotto__learner_verdict(experiment->learner, SOTTO__WATCH_ALPHA, hold->reports_expected);
    hold->epoch = experiment_epoch(experiment);
    hold->has_chances = true;
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        hold->alarms[t] += hold->seen.alarms >> t & 1;
    }
    if (hold->seen.alarms != 0) say(all, experiment, "alarm");
}

bool hold_lets_go(sottod_experiments *all, sottod_experiment *experiment)
{
    experiment_hold *hold = &experiment->life->hold;
    if (experiment->model == NULL) return true; /* to be closed */
    if (hold->held) return hold->order != HOLD_NONE;
    bool looked = hold->seen.reports > 0 && hold->epoch == experiment_epoch(experiment);
    if (!looked) look(all, experiment); /* once, also if it could not be published then */
    if (hold->seen.alarms == 0 || !hold->quarantine) return true;
    hold->held = true;
    say(all, experiment, "held");
    return false;
}

void hold_end(experiment_hold *hold)
{
    hold->held = false;
    hold->order = HOLD_NONE;
}

void hold_hear(experiment_hold *hold, const journal_held *held)
{
    static const hold_order orders[] = {[JOURNAL_REPORTS] = HOLD_NONE,
                                        [JOURNAL_PUBLISH] = HOLD_RELEASE,
                                        [JOURNAL_DISCARD] = HOLD_DISCARD};
    hold->fallback_ends = held->reports > 0 && (held->alarms & JOURNAL_ALARM_HARM) != 0;
    hold->held = held->reports > 0 && !hold->fallback_ends;
    hold->order = hold->held ? orders[held->decision] : HOLD_NONE;
    if (hold->fallback_ends) return; /* nothing was looked at */
    hold->epoch = held->epoch;
    hold->seen = (sotto__verdict){.alarms = held->alarms, .reports = held->reports};
}

uint32_t hold_alarms(const experiment_hold *hold, uint32_t epoch)
{
    return hold->epoch == epoch ? hold->seen.alarms : 0;
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
    bool known = experiment->life->hold.quarantine == quarantine;
    if (known && !journal_is_shared(all->journal)) return true; /* a shared one may say otherwise */
    if (!write_down(all->journal, experiment->number, quarantine)) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
        return false;
    }
    experiment->life->hold.quarantine = quarantine;
    if (known) return true;
    experiments_log(all, LOG_INFO, quarantine ? "quarantine_on" : "quarantine_off", experiment,
                    NULL, 0);
    return true;
}

static bool refuse_unheld(sottod_refusal *why)
{
    refusal_set(why, 409, "No epoch of the experiment is held.", NULL, NULL, NULL);
    return false;
}

/* Another process folds: it is told, by a row that names the epoch. */
static bool decide(sottod_experiments *all, const sottod_experiment *experiment, hold_order wanted,
                   sottod_refusal *why)
{
    const journal_kind decision = wanted == HOLD_RELEASE ? JOURNAL_PUBLISH : JOURNAL_DISCARD;
    bool held = false;
    if (!journal_begin(all->journal) ||
        !experiments_finish(all->journal,
                            journal_decide(all->journal, experiment->number,
                                           experiment->life->hold.epoch, decision, &held))) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal));
        return false;
    }
    return held || refuse_unheld(why);
}

static bool is_held(const sottod_experiment *experiment)
{
    return experiment->life != NULL && experiment->life->hold.held;
}

static bool order(sottod_experiments *all, sottod_experiment *experiment, hold_order wanted,
                  sottod_refusal *why)
{
    const bool shared = journal_is_shared(all->journal);
    if (!is_held(experiment)) all->mode->catch_up(all); /* we may not have heard of it yet */
    if (!is_held(experiment)) return refuse_unheld(why);
    experiment_hold *hold = &experiment->life->hold;
    if (experiment->state != JOURNAL_OPEN) {
        refusal_set(why, 409, "The experiment is not open: its epoch cannot end.", "state",
                    journal_state_name(experiment->state), "open");
        return false;
    }
    if (shared && !decide(all, experiment, wanted, why)) return false;
    hold->order = wanted;
    if (!shared) {
        experiment->ready_ms = all->ready_ms = 0; /* epochs_turn does it, */
        experiments_touch(all, experiment);       /* and is called at once */
    }
    experiments_log(all, LOG_INFO, wanted == HOLD_RELEASE ? "released" : "discarded", experiment,
                    "epoch", hold->epoch);
    return true;
}

bool experiment_release(sottod_experiments *all, sottod_experiment *experiment, sottod_refusal *why)
{
    return order(all, experiment, HOLD_RELEASE, why);
}

bool experiment_discard(sottod_experiments *all, sottod_experiment *experiment, sottod_refusal *why)
{
    return order(all, experiment, HOLD_DISCARD, why);
}

/* ---- what is known */

experiment_watch experiment_watched(const sottod_experiment *experiment)
{
    static const experiment_hold none;
    const experiment_hold *hold = experiment->life == NULL ? &none : &experiment->life->hold;
    experiment_watch watch = {
        .quarantine = hold->quarantine,
        .held = hold->held,
        .has_chances = hold->has_chances,
        .discards = hold->order == HOLD_DISCARD,
        .ends = hold->order != HOLD_NONE,
        .reports_expected = hold->reports_expected,
        .epoch = hold->epoch,
        .reports = hold->seen.reports,
        .alarms = hold->seen.alarms,
    };
    static_assert(EXPERIMENT_WATCH_TESTS == SOTTO__WATCH_TESTS, "a test is missing");
    static_assert(JOURNAL_ALARM_HARM >> SOTTO__WATCH_TESTS >= 1, "a test has the bit of harm");
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        watch.chance[t] = hold->seen.chance[t];
        watch.total[t] = hold->alarms[t];
    }
    return watch;
}

const char *experiment_watch_test(uint32_t test)
{
    return sotto__watch_name((sotto__watch_test)test);
}
