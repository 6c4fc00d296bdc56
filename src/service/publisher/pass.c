#include "inner.h"
#include "service/experiment/experiment.h"
#include "service/system/system.h"

#include <stdlib.h>
#include <string.h>

#define READ_MS 10000u   /* between two readings of experiments if nothing causes one */
#define READ_MS_EACH 10u /* but at least this long per experiment */
#define POLL_MS_MIN 100u /* between two queries for experiments with new rows */
#define POLL_MS_MAX 400u /* if nothing came for a while */
#define QUIET_MS 2000u
#define RETAINS 2u     /* searches for superfluous rows, after new rows or a publish */
#define STALE_MS 1000u /* the same, if something changed: our own models also wake us */
#define THIN_MS (3600u * 1000u)
#define RETAIN_MS (600u * 1000u) /* between two searches for superfluous rows */
#define RETAIN_MS_MIN 5000u      /* the same, however short epochs are */
#define ASK_MS_MIN 50u           /* between two queries for waiting reports */
#define ASK_MS_MAX 2000u
#define SAY_MS 60000u
#define LOOK_PART 4u /* 1/4 of nonces_max is folded before gateways are informed */
#define ASK_PART 20u /* 1/20 of the age of the epoch */
/* Before a skipped experiment is retried; doubled each time. */
#define PAUSE_MS_MIN 10000u
#define PAUSE_MS_MAX (600u * 1000u)

static void say(const publisher_pass *pass, log_level level, const char *event,
                const publisher_known *known, const char *why)
{
    epoch_log(pass->log, level, event, known->id_text, engine_epoch(known->engine),
              why == NULL ? NULL : "why", why);
}

void publisher_pass_forget(publisher_pass *pass)
{
    for (uint32_t i = 0; i < pass->known_count; i++) {
        publisher_known_free(pass->known[i]);
    }
    free(pass->known);
    pass->known = NULL;
    pass->known_count = pass->known_capacity = 0;
    free(pass->gone);
    pass->gone = NULL;
    pass->gone_count = pass->gone_capacity = pass->emptied = 0;
    damaged_free(&pass->damaged);
    publisher_crew_forget(&pass->crew);
    pass->waiting = pass->distinct = 0;
    pass->stale = true;
    pass->polled = false;
    pass->read_ms = pass->poll_ms = 0;
}

const char *publisher_pass_stopped(const publisher_pass *pass, uint32_t i)
{
    if (i < pass->damaged.count) return pass->damaged.one[i].id_text;
    i -= pass->damaged.count;
    for (uint32_t k = 0; k < pass->known_count; k++) {
        if (pass->known[k]->broken && i-- == 0) return pass->known[k]->id_text;
    }
    return NULL;
}

/* ---- which experiments there are */

static void drop(publisher_pass *pass, uint32_t i)
{
    publisher_crew_drop(&pass->crew, pass->known[i]);
    publisher_known_free(pass->known[i]);
    for (pass->known_count--; i < pass->known_count; i++) {
        pass->known[i] = pass->known[i + 1];
    }
}

static bool add(publisher_pass *pass, publisher_known *known)
{
    if (!list_grow(&pass->known, pass->known_count, &pass->known_capacity, sizeof *pass->known))
        return false;
    pass->known[pass->known_count++] = known;
    return true;
}

typedef struct listing {
    publisher_pass *pass;
    uint32_t place; /* index among the known ones; both lists are sorted by number */
    uint64_t now_ms;
} listing;

static bool is_foldable(journal_state state)
{
    return state == JOURNAL_OPEN || state == JOURNAL_PAUSED;
}

/* A skipped experiment is loaded again: the database may work for it now. The age of its epoch is kept. */
static void renew(const listing *self, const journal_experiment *row)
{
    sotto_fault fault;
    publisher_known **place = &self->pass->known[self->place], *before = *place;
    if (!before->broken || self->now_ms < before->again_ms) return;
    publisher_known *known = publisher_known_new(row, self->pass->nonces_max, self->now_ms, &fault);
    if (known == NULL) return;
    known->engine->began_ms = before->engine->began_ms;
    known->retain_ms = before->retain_ms;
    known->ask_ms = self->now_ms;
    known->pause_ms = before->pause_ms;
    known->paced = before->paced;
    known->mine = before->mine;
    known->arrived_ms = before->arrived_ms;
    known->awake = true;
    known->retains = RETAINS;
    known->said = before->said;
    publisher_known_free(before);
    *place = known;
}

static bool take_experiment(void *context, const journal_experiment *row)
{
    listing *self = context;
    publisher_pass *pass = self->pass;
    uint32_t i = self->place;
    /* Experiments without a row, or with a damaged one, are not published. */
    while (i < pass->known_count && (pass->known[i]->number < row->number ||
                                     (pass->known[i]->number == row->number && row->damaged))) {
        drop(pass, i);
    }
    if (row->damaged) {
        damaged_note(&pass->damaged, row, pass->log);
        return true;
    }
    if (!is_foldable(row->state) && pass->leads) publisher_over_note(pass, row);
    bool there = i < pass->known_count && pass->known[i]->number == row->number;
    if (there && !is_foldable(row->state)) {
        drop(pass, i);
        return true;
    }
    if (there) {
        renew(self, row);
        pass->known[i]->state = row->state;
        pass->known[i]->engine->hold.quarantine = row->quarantine;
        self->place++;
        return true;
    }
    if (!is_foldable(row->state)) return true;
    sotto_fault fault;
    publisher_known *known = publisher_known_new(row, pass->nonces_max, self->now_ms, &fault);
    if (known != NULL) known->retain_ms = self->now_ms + RETAIN_MS;
    if (known != NULL) known->awake = pass->polled; /* otherwise only those with rows */
    if (known != NULL && !add(pass, known)) {
        (void)sotto__refuse(&fault, "experiment %u: no memory", row->number);
        publisher_known_free(known);
        known = NULL;
    }
    if (known == NULL) {
        log_why(pass->log, LOG_ERROR, "experiment_cannot_be_used", fault.sentence);
        return true;
    }
    /* It was appended; numbers only grow, but an experiment may have been dropped to be loaded again. */
    for (uint32_t k = pass->known_count - 1; k > i; k--) {
        pass->known[k] = pass->known[k - 1];
    }
    pass->known[i] = known;
    self->place++;
    return true;
}

/* NULL: unknown. */
static publisher_known *find(const publisher_pass *pass, uint32_t number)
{
    uint32_t low = 0, high = pass->known_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pass->known[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool there = low < pass->known_count && pass->known[low]->number == number;
    return there ? pass->known[low] : NULL;
}

/* A decided epoch ends at once. */
static bool take_held(void *context, const journal_held *held)
{
    const listing *self = context;
    publisher_known *known = find(self->pass, held->experiment);
    if (known == NULL) return true;
    hold_hear(&known->engine->hold, held);
    if (held->decision != JOURNAL_REPORTS) known->ask_ms = 0;
    return true;
}

static bool read_held(listing *self)
{
    for (uint32_t i = 0; i < self->pass->known_count; i++) {
        hold_hear(&self->pass->known[i]->engine->hold, &(journal_held){.reports = 0});
    }
    return folding_read_held(self->pass->folding, take_held, self);
}

/* The age of the open epoch. */
static bool take_pace(void *context, uint32_t experiment, uint64_t elapsed_ms)
{
    const listing *self = context;
    publisher_known *known = find(self->pass, experiment);
    if (known == NULL || known->paced) return true;
    known->paced = true;
    engine_lasts(known->engine, elapsed_ms, self->now_ms);
    known->ask_ms = engine_due_ms(known->engine);
    return true;
}

static bool read_pace(listing *self)
{
    for (uint32_t i = 0; i < self->pass->known_count; i++) {
        if (!self->pass->known[i]->paced)
            return folding_read_pace(self->pass->folding, 0, take_pace, self);
    }
    return true;
}

/* With many experiments a reading takes long. */
static uint64_t read_ms(const publisher_pass *pass)
{
    uint64_t each_ms = (uint64_t)pass->known_count * READ_MS_EACH;
    return pass->stale ? STALE_MS : each_ms > READ_MS ? each_ms : READ_MS;
}

static bool read_experiments(publisher_pass *pass, uint64_t now_ms)
{
    listing self = {pass, 0, now_ms};
    if (now_ms - pass->read_ms < read_ms(pass)) return true;
    damaged_begin(&pass->damaged);
    if (!folding_read_experiments(pass->folding, take_experiment, &self) || !read_held(&self) ||
        !read_pace(&self))
        return false;
    damaged_end(&pass->damaged, pass->log);
    while (pass->known_count > self.place) {
        drop(pass, pass->known_count - 1);
    }
    pass->stale = false;
    pass->read_ms = now_ms;
    return !pass->leads || publisher_over_empty(pass, now_ms);
}

/* ---- one of them */

/* Skips the experiment for a while: its data in the database are at fault, not the others'. A lasting fault is logged
 * once. */
static void leave_alone(const publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    known->broken = true;
    known->waiting = 0;
    known->pause_ms = known->pause_ms == 0 ? PAUSE_MS_MIN : 2 * known->pause_ms;
    if (known->pause_ms > PAUSE_MS_MAX) known->pause_ms = PAUSE_MS_MAX;
    known->again_ms = now_ms + known->pause_ms;
    if (strcmp(known->said.sentence, known->fault.sentence) == 0) return;
    known->said = known->fault;
    say(pass, LOG_ERROR, "cannot_publish", known, known->said.sentence);
}

static void note_publish(publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    pass->publishes++;
    engine_lasts(known->engine, 0, now_ms);
    known->ask_ms = engine_due_ms(known->engine);
    known->waiting = known->fresh = known->pause_ms = known->looked_said = 0;
    known->retains = RETAINS;
    known->said.sentence[0] = '\0';
}

/* What cannot be removed now is removed after the next publish. */
static bool retain(publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    known->retained_ms = now_ms;
    known->retain_ms = now_ms + RETAIN_MS;
    uint32_t oldest = engine_oldest(known->engine);
    if (folding_retain(pass->folding, known->number, &pass->retention, &known->cut, oldest,
                       oldest)) {
        known->retains -= known->retains > 0;
        return true;
    }
    if (!folding_holds(pass->folding)) return false;
    say(pass, LOG_WARNING, "retention_put_off", known, folding_fault(pass->folding)->sentence);
    return true;
}

/* After a publish. The search takes as long as a publish, so with short epochs not every publish is followed by one. */
static bool retain_soon(publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    if (known->retained_ms == 0 || now_ms - known->retained_ms >= RETAIN_MS_MIN)
        return retain(pass, known, now_ms);
    known->retain_ms = known->retained_ms + RETAIN_MS_MIN;
    return true;
}

static void put_off(publisher_known *known, uint64_t now_ms)
{
    uint64_t wait_ms = engine_lasted_ms(known->engine, now_ms) / ASK_PART;
    if (wait_ms < ASK_MS_MIN) wait_ms = ASK_MS_MIN;
    if (wait_ms > ASK_MS_MAX) wait_ms = ASK_MS_MAX;
    known->ask_ms = now_ms + wait_ms;
}

/* Informs gateways that are full of reports that do not count, so that they accept more. */
static bool tell_look(const publisher_pass *pass, publisher_known *known)
{
    const uint64_t looked = publisher_attempt_looked(known);
    if (looked - known->looked_said < pass->nonces_max / LOOK_PART) return true;
    known->looked_said = looked;
    return folding_tell_look(pass->folding, known->number, engine_epoch(known->engine),
                             publisher_attempt_distinct(known)) ||
           folding_holds(pass->folding);
}

/* Keeps what was folded. Logs once a minute that reports wait but too few count; someone may be sending copies. */
static bool wait_more(const publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    known->fresh = 0;
    put_off(known, now_ms);
    if (!tell_look(pass, known)) return false;
    if (!totals_say(pass->totals, known->number, now_ms, SAY_MS)) return true;
    const log_value values[] = {
        {.name = "experiment", .text = known->id_text},
        {.name = "epoch", .number = engine_epoch(known->engine)},
        {.name = "waiting", .number = known->waiting},
        {.name = "distinct", .number = publisher_attempt_distinct(known)},
        {.name = NULL},
    };
    log_write(pass->log, LOG_INFO, "not_due", values);
    return true;
}

/* *reload: it must be loaded again. False: the database is unreachable. */
static bool settle(publisher_pass *pass, publisher_known *known, epoch_outcome outcome,
                   uint64_t now_ms, bool *reload)
{
    *reload = false;
    engine_say(known->engine, &known->ending, outcome, pass->totals, pass->log, known->id_text);
    switch (outcome) {
    case EPOCH_DONE: note_publish(pass, known, now_ms); return retain_soon(pass, known, now_ms);
    case EPOCH_HELD:
        put_off(known, now_ms);
        known->fresh = 0;
        return true;
    case EPOCH_TOO_FEW: return wait_more(pass, known, now_ms);
    case EPOCH_FENCED:
        pass->fenced++;
        say(pass, LOG_WARNING, "fenced", known, NULL);
        *reload = true;
        return true;
    case EPOCH_CLOSED:
        say(pass, LOG_ERROR, "closed_by_publisher", known, NULL);
        *reload = true;
        return true;
    case EPOCH_BROKEN: leave_alone(pass, known, now_ms); return true;
    case EPOCH_AWAY: break;
    }
    return false;
}

/* False: the database is unreachable. */
static bool load(const publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    if (known->engine->nonces != NULL) return true;
    epoch_outcome loaded = publisher_known_load(known, pass->folding);
    if (loaded == EPOCH_BROKEN) leave_alone(pass, known, now_ms);
    return loaded == EPOCH_DONE || loaded == EPOCH_BROKEN;
}

/* Another process may have published it since the last check. False: the database is unreachable. */
static bool find_pace(publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    listing self = {.pass = pass, .now_ms = now_ms};
    bool decided = engine_decision(known->engine) != JOURNAL_REPORTS;
    if (known->paced || decided) return true;
    if (!folding_read_pace(pass->folding, known->number, take_pace, &self)) return false;
    known->paced = true;
    return true;
}

/* Removes reports of closed epochs, also if the experiment is paused, held or quiet. */
static bool keep_house(publisher_pass *pass, publisher_known *known, uint64_t now_ms)
{
    if (known->broken || now_ms < known->retain_ms || known->retains == 0) return true;
    if (!load(pass, known, now_ms)) return false;
    return known->broken || retain(pass, known, now_ms);
}

/* A held epoch without a decision is not checked again: that would make false alarms more likely. */
static bool is_to_be_tried(const publisher_known *known)
{
    if (engine_decision(known->engine) != JOURNAL_REPORTS) return true;
    if (engine_is_held(known->engine)) return false;
    return due_could_be(&known->engine->rule, known->engine->learner, known->fresh);
}

/* There may be enough reports to end its epoch, or its owner has decided. */
static bool is_to_be_looked_at(const publisher_known *known, uint64_t now_ms)
{
    bool decided = known->engine->hold.decision != JOURNAL_REPORTS;
    return known->state == JOURNAL_OPEN && !known->broken && (known->awake || decided) &&
           now_ms >= known->ask_ms;
}

static bool wants(const publisher_known *known, uint64_t now_ms)
{
    return is_to_be_looked_at(known, now_ms) ||
           (!known->broken && known->retains > 0 && now_ms >= known->retain_ms);
}

/* Asks what waits, and tries to end the epoch if that could suffice. */
static bool look_at(publisher_pass *pass, publisher_known *known, uint64_t now_ms, uint64_t minute,
                    bool *reload)
{
    const folding_cut *to;
    *reload = false;
    if (!is_to_be_looked_at(known, now_ms)) return true;
    if (!load(pass, known, now_ms)) return false;
    if (known->broken) return true;
    if (!find_pace(pass, known, now_ms)) return false;
    if (now_ms < known->ask_ms) return true; /* another process published it just now */
    known->awake = false;
    if (!folding_waiting(pass->folding, known->number, publisher_attempt_cut(known), &to,
                         &known->fresh)) {
        epoch_outcome failed = publisher_known_failed(known, pass->folding);
        if (failed == EPOCH_BROKEN) leave_alone(pass, known, now_ms);
        return failed == EPOCH_BROKEN;
    }
    known->waiting = publisher_attempt_looked(known) + known->fresh;
    if (!is_to_be_tried(known)) {
        put_off(known, now_ms);
        return true;
    }
    uint64_t began_us = clock_steady_us();
    epoch_outcome outcome = publisher_attempt(known, pass->folding, pass->fold, to, minute);
    pass->fold_us += clock_steady_us() - began_us;
    return settle(pass, known, outcome, now_ms, reload);
}

static bool thin(publisher_pass *pass, uint64_t now_ms, uint64_t minute)
{
    if (!pass->leads || now_ms < pass->thin_ms || minute < EPOCHS_HISTORY_WEEK_MIN) return true;
    pass->thin_ms = now_ms + THIN_MS;
    return folding_thin_history(pass->folding, minute - EPOCHS_HISTORY_WEEK_MIN);
}

static bool take_arrival(void *context, uint32_t experiment)
{
    listing *self = context;
    publisher_known *known = find(self->pass, experiment);
    self->pass->arrived_ms = self->now_ms;
    if (known == NULL) return true; /* a new experiment is checked once it is known */
    known->awake = true;
    known->retains = RETAINS;
    known->arrived_ms = self->now_ms;
    return true;
}

/* One query for all experiments. */
static bool poll(publisher_pass *pass, uint64_t now_ms)
{
    listing self = {.pass = pass, .now_ms = now_ms};
    if (now_ms < pass->poll_ms) return true;
    if (!folding_arrivals(pass->folding, !pass->polled, take_arrival, &self)) return false;
    bool quiet = pass->polled && now_ms - pass->arrived_ms >= QUIET_MS;
    pass->polled = true;
    pass->poll_ms = now_ms + (quiet ? POLL_MS_MAX : POLL_MS_MIN);
    return true;
}

bool publisher_pass_run(publisher_pass *pass, uint64_t now_ms, uint64_t minute)
{
    if (!read_experiments(pass, now_ms) || !thin(pass, now_ms, minute) || !poll(pass, now_ms) ||
        !publisher_crew_turn(&pass->crew, pass->folding, pass->known, pass->known_count, wants,
                             now_ms))
        return false;
    pass->waiting = pass->distinct = 0;
    for (uint32_t i = 0; i < pass->known_count;) {
        publisher_known *known = pass->known[i];
        bool reload = false;
        if (!known->mine) {
            i++;
            continue;
        }
        if (!look_at(pass, known, now_ms, minute, &reload)) return false;
        if (!reload && !keep_house(pass, known, now_ms)) return false;
        pass->waiting += known->waiting;
        pass->distinct += publisher_attempt_distinct(known);
        if (reload) {
            drop(pass, i);
            pass->stale = true;
        } else {
            i++;
        }
    }
    return true;
}

uint64_t publisher_pass_ms(const publisher_pass *pass, uint64_t now_ms)
{
    uint64_t next_ms = pass->read_ms + read_ms(pass);
    if (pass->poll_ms < next_ms) next_ms = pass->poll_ms;
    for (uint32_t i = 0; i < pass->known_count; i++) {
        const publisher_known *known = pass->known[i];
        bool looks = known->state == JOURNAL_OPEN && !known->broken && known->awake && known->mine;
        if (looks && known->ask_ms < next_ms) next_ms = known->ask_ms;
    }
    return next_ms <= now_ms ? 0 : next_ms - now_ms;
}
