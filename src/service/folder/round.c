#include "round.h"
#include "attempt.h"
#include "over.h"
#include "service/experiment/epochs.h"
#include "service/experiment/fallback.h"
#include "service/experiment/hold.h"
#include "service/system/clock.h"

#include <stdlib.h>
#include <string.h>

#define READ_MS 10000u /* experiments are read again, also if nothing woke us */
#define STALE_MS 1000u /* the same, if something did: models of our own wake us, too */
#define THIN_MS (3600u * 1000u)
#define RETAIN_MS (600u * 1000u) /* between two searches for what nobody needs */
#define ASK_MS_MIN 50u           /* between two questions for what waits */
#define ASK_MS_MAX 2000u
#define ASK_PART 20u /* of the time that an epoch lasts so far */
/* Before one that was left alone is tried again; each time twice as long. */
#define PAUSE_MS_MIN 10000u
#define PAUSE_MS_MAX (600u * 1000u)

static void say(const folder_round *round, log_level level, const char *event,
                const folder_known *known, const char *why)
{
    const log_value values[] = {
        {.name = "experiment", .text = known->id_text},
        {.name = "epoch", .number = folder_known_epoch(known)},
        {.name = why == NULL ? NULL : "why", .text = why},
        {.name = NULL},
    };
    log_write(round->log, level, event, values);
}

void folder_round_forget(folder_round *round)
{
    for (uint32_t i = 0; i < round->known_count; i++) {
        folder_known_free(round->known[i]);
    }
    free(round->known);
    round->known = NULL;
    round->known_count = round->known_capacity = 0;
    free(round->gone);
    round->gone = NULL;
    round->gone_count = round->gone_capacity = round->emptied = 0;
    damaged_free(&round->damaged);
    round->waiting = 0;
    round->stale = true;
    round->read_ms = 0;
}

const char *folder_round_stopped(const folder_round *round, uint32_t i)
{
    if (i < round->damaged.count) return round->damaged.one[i].id_text;
    i -= round->damaged.count;
    for (uint32_t k = 0; k < round->known_count; k++) {
        if (round->known[k]->broken && i-- == 0) return round->known[k]->id_text;
    }
    return NULL;
}

/* ---- which experiments there are */

static void drop(folder_round *round, uint32_t i)
{
    folder_known_free(round->known[i]);
    for (round->known_count--; i < round->known_count; i++) {
        round->known[i] = round->known[i + 1];
    }
}

static bool add(folder_round *round, folder_known *known)
{
    if (round->known_count == round->known_capacity) {
        uint32_t capacity = round->known_capacity == 0 ? 16 : 2 * round->known_capacity;
        folder_known **grown = realloc(round->known, capacity * sizeof grown[0]);
        if (grown == NULL) return false;
        round->known = grown;
        round->known_capacity = capacity;
    }
    round->known[round->known_count++] = known;
    return true;
}

typedef struct listing {
    folder_round *round;
    uint32_t place; /* among those known: both are by number */
    uint64_t now_ms;
} listing;

static bool is_foldable(journal_state state)
{
    return state == JOURNAL_OPEN || state == JOURNAL_PAUSED;
}

/* One that was left alone is loaded anew: the database may take it now. The time of its epoch goes on. */
static void renew(const listing *self, const journal_experiment *row)
{
    char fault[JOURNAL_FAULT_BYTES];
    folder_known **place = &self->round->known[self->place], *before = *place;
    if (!before->broken || self->now_ms < before->again_ms) return;
    folder_known *known = folder_known_new(row, self->round->nonces_max, self->now_ms, fault);
    if (known == NULL) return;
    known->published_ms = before->published_ms;
    known->retain_ms = before->retain_ms;
    known->ask_ms = self->now_ms;
    known->pause_ms = before->pause_ms;
    memcpy(known->said, before->said, sizeof known->said);
    folder_known_free(before);
    *place = known;
}

static bool take_experiment(void *context, const journal_experiment *row)
{
    listing *self = context;
    folder_round *round = self->round;
    uint32_t i = self->place;
    /* What has no row any more, or one that is damaged, is not folded. */
    while (i < round->known_count && (round->known[i]->number < row->number ||
                                      (round->known[i]->number == row->number && row->damaged))) {
        drop(round, i);
    }
    if (row->damaged) {
        damaged_note(&round->damaged, row, round->log);
        return true;
    }
    if (!is_foldable(row->state)) folder_over_note(round, row);
    bool there = i < round->known_count && round->known[i]->number == row->number;
    if (there && !is_foldable(row->state)) {
        drop(round, i);
        return true;
    }
    if (there) {
        renew(self, row);
        round->known[i]->state = row->state;
        round->known[i]->quarantine = row->quarantine;
        self->place++;
        return true;
    }
    if (!is_foldable(row->state)) return true;
    char fault[JOURNAL_FAULT_BYTES];
    folder_known *known = folder_known_new(row, round->nonces_max, self->now_ms, fault);
    if (known != NULL) known->retain_ms = self->now_ms + RETAIN_MS;
    if (known == NULL || !add(round, known)) {
        const log_value values[] = {{.name = "why", .text = fault}, {.name = NULL}};
        log_write(round->log, LOG_ERROR, "experiment_cannot_be_used", values);
        folder_known_free(known);
        return true;
    }
    /* It was added at the end; numbers only grow, but one may have been dropped to be loaded again. */
    for (uint32_t k = round->known_count - 1; k > i; k--) {
        round->known[k] = round->known[k - 1];
    }
    round->known[i] = known;
    self->place++;
    return true;
}

/* One that was decided of ends at once. */
static bool take_held(void *context, const journal_held *held)
{
    const listing *self = context;
    folder_round *round = self->round;
    for (uint32_t i = 0; i < round->known_count; i++) {
        folder_known *known = round->known[i];
        if (known->number != held->experiment) continue;
        known->held = *held;
        if (held->decision != JOURNAL_REPORTS) known->ask_ms = 0;
    }
    return true;
}

static bool read_held(listing *self)
{
    for (uint32_t i = 0; i < self->round->known_count; i++) {
        self->round->known[i]->held = (journal_held){.reports = 0};
    }
    return folding_read_held(self->round->folding, take_held, self);
}

static bool read_experiments(folder_round *round, uint64_t now_ms)
{
    listing self = {round, 0, now_ms};
    if (now_ms - round->read_ms < (round->stale ? STALE_MS : READ_MS)) return true;
    damaged_begin(&round->damaged);
    if (!folding_read_experiments(round->folding, take_experiment, &self) || !read_held(&self))
        return false;
    damaged_end(&round->damaged, round->log);
    while (round->known_count > self.place) {
        drop(round, round->known_count - 1);
    }
    round->stale = false;
    round->read_ms = now_ms;
    return folder_over_empty(round, now_ms);
}

/* ---- one of them */

/* For a while: the database is at fault, not the others. A fault that lasts is said once. */
static void leave_alone(const folder_round *round, folder_known *known, uint64_t now_ms)
{
    known->broken = true;
    known->waiting = 0;
    known->pause_ms = known->pause_ms == 0 ? PAUSE_MS_MIN : 2 * known->pause_ms;
    if (known->pause_ms > PAUSE_MS_MAX) known->pause_ms = PAUSE_MS_MAX;
    known->again_ms = now_ms + known->pause_ms;
    if (strcmp(known->said, known->fault) == 0) return;
    memcpy(known->said, known->fault, sizeof known->said);
    say(round, LOG_ERROR, "cannot_fold", known, known->fault);
}

static void note_publish(folder_round *round, folder_known *known, uint64_t now_ms)
{
    round->publishes++;
    known->published_ms = now_ms;
    known->ask_ms = now_ms + known->epoch_seconds_min * UINT64_C(1000);
    known->tried = known->waiting = known->pause_ms = 0;
    known->said[0] = '\0';
}

/* What cannot go now goes after the next publish. */
static bool retain(folder_round *round, folder_known *known, uint64_t now_ms)
{
    known->retain_ms = now_ms + RETAIN_MS;
    uint32_t oldest = folder_known_oldest(known);
    if (folding_retain(round->folding, known->number, &round->retention, &known->cut, oldest,
                       oldest))
        return true;
    if (!folding_holds(round->folding)) return false;
    say(round, LOG_WARNING, "retention_put_off", known, folding_fault(round->folding));
    return true;
}

static void put_off(folder_known *known, uint64_t now_ms)
{
    uint64_t wait_ms = (now_ms - known->published_ms) / ASK_PART;
    if (wait_ms < ASK_MS_MIN) wait_ms = ASK_MS_MIN;
    if (wait_ms > ASK_MS_MAX) wait_ms = ASK_MS_MAX;
    known->ask_ms = now_ms + wait_ms;
}

/* Until twice as many wait. */
static bool wait_more(folder_known *known, uint64_t now_ms)
{
    known->tried = known->waiting;
    put_off(known, now_ms);
    return true;
}

/* Whether the epoch that ended just now was given up. */
static bool is_discarded(const folder_known *known)
{
    return known->held.decision == JOURNAL_DISCARD &&
           known->held.epoch + 1 == folder_known_epoch(known);
}

/* What the watch said of an epoch: once for each look. */
static void tell_alarms(folder_round *round, const folder_known *known, uint32_t epoch)
{
    char tests[HOLD_TESTS_BYTES];
    if (known->alarms == 0) return;
    folder_alarms_count(round->alarms, known->number, known->alarms);
    hold_print_alarms(known->alarms, tests);
    const log_value values[] = {
        {.name = "experiment", .text = known->id_text},
        {.name = "epoch", .number = epoch},
        {.name = "tests", .text = tests},
        {.name = NULL},
    };
    log_write(round->log, LOG_WARNING, "alarm", values);
}

/* How old the reports were of the epoch that ended just now. */
static void tell_age(const folder_round *round, const folder_known *known)
{
    if (is_discarded(known)) return;
    double before = folder_alarms_age(round->alarms, known->number);
    hold_tell_age(round->log, known->id_text, folder_known_epoch(known) - 1, before, known->age);
    folder_alarms_note_age(round->alarms, known->number, known->age);
}

/* *reload: it must be loaded again. False: the database is away. */
static bool settle(folder_round *round, folder_known *known, folder_outcome outcome,
                   uint64_t now_ms, bool *reload)
{
    *reload = false;
    switch (outcome) {
    case FOLDER_DONE:
        note_publish(round, known, now_ms);
        tell_alarms(round, known, folder_known_epoch(known) - 1);
        fallback_say(round->log, known->id_text, folder_known_epoch(known), &known->harm_before,
                     &known->learner->harm);
        tell_age(round, known);
        say(round, LOG_INFO, is_discarded(known) ? "opened_after_discard" : "published", known,
            NULL);
        return retain(round, known, now_ms);
    case FOLDER_HELD:
        tell_alarms(round, known, folder_known_epoch(known));
        say(round, LOG_WARNING, "held", known, NULL);
        return wait_more(known, now_ms);
    case FOLDER_TOO_FEW: return wait_more(known, now_ms);
    case FOLDER_FENCED:
        round->fenced++;
        say(round, LOG_WARNING, "fenced", known, NULL);
        *reload = true;
        return true;
    case FOLDER_ENDED:
        say(round, LOG_ERROR, "closed_by_folder", known, NULL);
        *reload = true;
        return true;
    case FOLDER_BROKEN: leave_alone(round, known, now_ms); return true;
    case FOLDER_AWAY: break;
    }
    return false;
}

/* False: the database is away. */
static bool load(const folder_round *round, folder_known *known, uint64_t now_ms)
{
    if (known->nonces != NULL) return true;
    folder_outcome loaded = folder_known_load(known, round->folding);
    if (loaded == FOLDER_BROKEN) leave_alone(round, known, now_ms);
    return loaded == FOLDER_DONE || loaded == FOLDER_BROKEN;
}

/* Of one that is paused, held or quiet, too, reports of closed epochs go. */
static bool keep_house(folder_round *round, folder_known *known, uint64_t now_ms)
{
    if (known->broken || now_ms < known->retain_ms) return true;
    if (!load(round, known, now_ms)) return false;
    return known->broken || retain(round, known, now_ms);
}

/* A held epoch that nobody decided of is not looked at again: that would make false alarms likelier. */
static bool is_to_be_tried(const folder_known *known)
{
    if (folder_known_decision(known) != JOURNAL_REPORTS) return true;
    if (folder_known_is_held(known)) return false;
    return due_could_be(&known->rule, known->learner, known->waiting) &&
           (known->tried == 0 || known->waiting / 2 >= known->tried);
}

/* Asks what waits, and tries to end the epoch if that could be enough. */
static bool look_at(folder_round *round, folder_known *known, uint64_t now_ms, uint64_t minute,
                    bool *reload)
{
    const folding_cut *to;
    *reload = false;
    if (!load(round, known, now_ms)) return false;
    if (known->broken || now_ms < known->ask_ms) return true;
    if (!folding_waiting(round->folding, known->number, &known->cut, &to, &known->waiting)) {
        folder_outcome failed = folder_known_failed(known, round->folding);
        if (failed == FOLDER_BROKEN) leave_alone(round, known, now_ms);
        return failed == FOLDER_BROKEN;
    }
    if (!is_to_be_tried(known)) {
        put_off(known, now_ms);
        return true;
    }
    uint64_t began_us = clock_steady_us();
    folder_outcome outcome = folder_attempt(known, round->folding, round->fold, to, minute);
    round->fold_us += clock_steady_us() - began_us;
    return settle(round, known, outcome, now_ms, reload);
}

static bool thin(folder_round *round, uint64_t now_ms, uint64_t minute)
{
    if (now_ms < round->thin_ms || minute < EPOCHS_HISTORY_WEEK_MIN) return true;
    round->thin_ms = now_ms + THIN_MS;
    return folding_thin_history(round->folding, minute - EPOCHS_HISTORY_WEEK_MIN);
}

bool folder_round_run(folder_round *round, uint64_t now_ms, uint64_t minute)
{
    if (!read_experiments(round, now_ms) || !thin(round, now_ms, minute)) return false;
    round->waiting = 0;
    for (uint32_t i = 0; i < round->known_count;) {
        folder_known *known = round->known[i];
        bool reload = false;
        if (known->state == JOURNAL_OPEN && !known->broken &&
            !look_at(round, known, now_ms, minute, &reload))
            return false;
        if (!reload && !keep_house(round, known, now_ms)) return false;
        round->waiting += known->waiting;
        if (reload) {
            drop(round, i);
            round->stale = true;
        } else {
            i++;
        }
    }
    return true;
}

uint64_t folder_round_ms(const folder_round *round, uint64_t now_ms)
{
    uint64_t next_ms = round->read_ms + (round->stale ? STALE_MS : READ_MS);
    for (uint32_t i = 0; i < round->known_count; i++) {
        const folder_known *known = round->known[i];
        if (known->state == JOURNAL_OPEN && !known->broken && known->ask_ms < next_ms)
            next_ms = known->ask_ms;
    }
    return next_ms <= now_ms ? 0 : next_ms - now_ms;
}
