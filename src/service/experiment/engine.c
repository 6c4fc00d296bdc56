/* The open epoch: its reports, its end. */
#include "inner.h"
#include "service/system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONCES_FIRST 100u /* room at first: experiments must be cheap */
#define NONCES_STEP 512u  /* by which the set grows */

/* ---- made */

sotto_learner *engine_read_learner(const sotto_terms *terms, const journal_bytes *bytes,
                                   sotto_fault *why)
{
    sotto_learner *learner = NULL;
    const sotto_status status = sotto_learner_decode(terms, bytes->at, bytes->bytes, &learner);
    if (status != SOTTO_OK &&
        sotto_learner_bytes_fault(terms, bytes->at, bytes->bytes, why) == SOTTO_OK)
        (void)sotto__fault_status(why, status);
    return learner;
}

static sotto_status fill(epoch_engine *engine, const journal_experiment *row, uint32_t nonces_max,
                         sotto_fault *fault)
{
    sotto_terms *terms = &engine->terms;
    sotto_status status = sotto_terms_bytes_fault(row->terms.at, row->terms.bytes, fault);
    if (status == SOTTO_OK) {
        status = sotto_terms_decode(row->terms.at, row->terms.bytes, terms);
        if (status != SOTTO_OK) (void)sotto__fault_status(fault, status);
    }
    if (status != SOTTO_OK) return sotto__fault_within(fault, "its terms are not usable: ");
    if (memcmp(terms->id, row->id, sizeof terms->id) != 0)
        return sotto__refuse(fault, "its terms have another id");
    engine->learner = engine_read_learner(terms, &row->start, fault);
    if (engine->learner == NULL)
        return sotto__fault_within(fault, "its initial learner is not usable: ");
    engine->experiment = row->number;
    engine->frame_bytes = sotto_report_bytes(terms);
    engine->seconds_min = row->epoch_seconds_min;
    engine->rule = (due_rule){.reports_min = row->epoch_reports_min,
                              .nonces_max = nonces_max,
                              .epoch_lag_max = terms->spec.epoch_lag_max};
    engine->hold.quarantine = row->quarantine;
    engine->hold.reports_expected = row->epoch_reports_expected;
    if (published_make(&engine->results, engine->learner, terms)) return SOTTO_OK;
    return sotto__refuse(fault, "no memory");
}

epoch_engine *engine_new(const journal_experiment *row, uint32_t nonces_max, uint64_t now_ms,
                         sotto_fault *fault)
{
    epoch_engine *engine = calloc(1, sizeof *engine);
    sotto_status status =
        engine == NULL ? sotto__refuse(fault, "no memory") : fill(engine, row, nonces_max, fault);
    if (status != SOTTO_OK) {
        (void)sotto__fault_within(fault, "experiment %u: ", row->number);
        engine_free(engine);
        return NULL;
    }
    engine_lasts(engine, 0, now_ms);
    return engine;
}

void engine_free(epoch_engine *engine)
{
    if (engine == NULL) return;
    sotto_learner_free(engine->learner);
    sotto_nonce_set_free(engine->nonces);
    published_free(&engine->results);
    free(engine);
}

uint32_t engine_epoch(const epoch_engine *engine)
{
    return sotto_learner_model(engine->learner)->epoch;
}

uint32_t engine_oldest(const epoch_engine *engine)
{
    const uint32_t epoch = engine_epoch(engine), lag = engine->rule.epoch_lag_max;
    return epoch < lag ? 0 : epoch - lag;
}

/* ---- time: moments before the start of the machine are negative */

void engine_lasts(epoch_engine *engine, uint64_t lasted_ms, uint64_t now_ms)
{
    engine->began_ms = (int64_t)now_ms - (int64_t)lasted_ms;
}

uint64_t engine_lasted_ms(const epoch_engine *engine, uint64_t now_ms)
{
    const int64_t now = (int64_t)now_ms;
    return now > engine->began_ms ? (uint64_t)(now - engine->began_ms) : 0;
}

uint64_t engine_due_ms(const epoch_engine *engine)
{
    const int64_t due_ms = engine->began_ms + (int64_t)engine->seconds_min * 1000;
    return due_ms > 0 ? (uint64_t)due_ms : 0;
}

/* ---- read again */

static sotto_status read_model(const sotto_terms *terms, const journal_snapshot *snapshot,
                               engine_model *out, sotto_fault *fault)
{
    const journal_bytes *results = &snapshot->results;
    *out = (engine_model){.learner = engine_read_learner(terms, &snapshot->learner, fault)};
    if (out->learner == NULL) return SOTTO_E_FAULT;
    if (sotto_learner_model(out->learner)->epoch != snapshot->seq)
        return sotto__refuse(fault, "it belongs to another epoch");
    if (!published_make(&out->results, out->learner, terms))
        return sotto__refuse(fault, "out of memory");
    if (!snapshot->ended && !published_decode(&out->results, terms, results->at, results->bytes))
        return sotto__refuse(fault, "its published counts are impossible");
    return SOTTO_OK;
}

sotto_status engine_read_model(const epoch_engine *engine, const journal_snapshot *snapshot,
                               engine_model *out, sotto_fault *fault)
{
    if (read_model(&engine->terms, snapshot, out, fault) == SOTTO_OK) return SOTTO_OK;
    engine_model_free(out);
    return sotto__fault_within(fault, "experiment %u, its model of epoch %" PRIu64 ": ",
                               engine->experiment, snapshot->seq);
}

void engine_model_free(engine_model *model)
{
    sotto_learner_free(model->learner);
    published_free(&model->results);
    *model = (engine_model){.learner = NULL};
}

void engine_take_model(epoch_engine *engine, engine_model *model, const journal_counts *counts)
{
    sotto_learner_free(engine->learner);
    published_free(&engine->results);
    engine->learner = model->learner;
    engine->results = model->results;
    engine->counts = engine->published = *counts;
    *model = (engine_model){.learner = NULL};
}

/* ---- reports */

bool engine_make_nonces(epoch_engine *engine)
{
    uint8_t key[SOTTO_NONCE_KEY_BYTES];
    return entropy_draw(key, sizeof key) &&
           sotto_nonce_set_new(&engine->terms, key, NONCES_FIRST, &engine->nonces) == SOTTO_OK &&
           sotto_nonce_set_advance(engine->nonces, engine_epoch(engine)) == SOTTO_OK;
}

bool engine_reserve(const epoch_engine *engine, uint64_t more, uint64_t most)
{
    const uint64_t wanted = sotto_nonce_set_count(engine->nonces) + more;
    uint64_t capacity = sotto_nonce_set_capacity(engine->nonces);
    if (wanted <= capacity || capacity >= most) return true;
    capacity = (wanted + NONCES_STEP - 1) / NONCES_STEP * NONCES_STEP;
    if (capacity > most) capacity = most;
    return sotto_nonce_set_grow(engine->nonces, (uint32_t)capacity) == SOTTO_OK;
}

sotto_status engine_sort(const epoch_engine *engine, const uint8_t *frame, journal_counts *counts,
                         bool *is_new)
{
    const sotto_report head = frame_head(frame);
    sotto_seen seen;
    *is_new = false;
    if (head.epoch < engine_oldest(engine)) {
        counts->late++;
        return SOTTO_OK;
    }
    const sotto_status status =
        sotto_nonce_set_see(engine->nonces, &head, frame, engine->frame_bytes, &seen);
    if (status != SOTTO_OK) return status;
    *is_new = seen == SOTTO_SEEN_NEW;
    counts->folded += seen == SOTTO_SEEN_NEW;
    counts->duplicate += seen == SOTTO_SEEN_SAME;
    counts->conflicting += seen == SOTTO_SEEN_OTHER;
    return SOTTO_OK;
}

bool engine_know(const epoch_engine *engine, const uint8_t *frames, size_t bytes, uint64_t *copies,
                 uint64_t *place)
{
    const uint32_t oldest = engine_oldest(engine);
    *copies = *place = 0;
    if (!engine_reserve(engine, bytes / engine->frame_bytes, SOTTO_NONCES_MAX)) return false;
    for (size_t at = 0; at < bytes; at += engine->frame_bytes) {
        const sotto_report head = frame_head(frames + at);
        sotto_seen seen = SOTTO_SEEN_NEW;
        if (head.epoch < oldest) continue;
        sotto_status status =
            sotto_nonce_set_see(engine->nonces, &head, frames + at, engine->frame_bytes, &seen);
        if (status == SOTTO_OK && seen == SOTTO_SEEN_NEW) continue;
        *place = at / engine->frame_bytes;
        if (status != SOTTO_OK) return false;
        ++*copies;
    }
    return true;
}

void counts_add(journal_counts *to, const journal_counts *more)
{
    to->folded += more->folded;
    to->late += more->late;
    to->duplicate += more->duplicate;
    to->conflicting += more->conflicting;
}

/* ---- due */

static bool is_crowded(const due_rule *rule, uint64_t reports)
{
    uint64_t epochs = rule->epoch_lag_max + UINT64_C(2);
    return reports >= (rule->nonces_max + epochs - 1) / epochs;
}

static bool enough(const due_rule *rule, const sotto_learner *learner, uint64_t learn, uint64_t all)
{
    if (is_crowded(rule, all)) return all >= rule->reports_min;
    return learn >= rule->reports_min && learn >= sotto_learner_wanted(learner);
}

bool due_has_enough(const due_rule *rule, const sotto_learner *learner)
{
    return due_could_be(rule, learner, 0);
}

bool due_could_be(const due_rule *rule, const sotto_learner *learner, uint64_t reports)
{
    const sotto_unpublished sum = sotto_learner_unpublished(learner);
    return enough(rule, learner, sotto_learner_taken(learner) + reports,
                  sum.learn + sum.control + sum.follow + reports);
}

/* ---- held */

bool engine_is_held(const epoch_engine *engine)
{
    const experiment_hold *hold = &engine->hold;
    return (hold->held || hold->fallback_ends) && hold->epoch == engine_epoch(engine);
}

journal_kind engine_decision(const epoch_engine *engine)
{
    return engine_is_held(engine) ? engine->hold.decision : JOURNAL_REPORTS;
}

void hold_hear(experiment_hold *hold, const journal_held *held)
{
    const bool any = held->reports > 0;
    hold->fallback_ends = any && (held->alarms & JOURNAL_ALARM_HARM) != 0;
    hold->held = any && !hold->fallback_ends;
    hold->decision = any ? held->decision : JOURNAL_REPORTS;
    hold->epoch = held->epoch;
    hold->seen = (sotto__watch_verdict){.reports = 0};
    if (!hold->held) return; /* no look was taken */
    hold->seen.alarms = held->alarms;
    hold->seen.reports = held->reports;
}

static void end_hold(experiment_hold *hold)
{
    hold->held = hold->fallback_ends = false;
    hold->decision = JOURNAL_REPORTS;
}

/* Only one look per epoch, even if the publish fails afterwards. */
static void look(epoch_engine *engine)
{
    experiment_hold *hold = &engine->hold;
    if (hold->seen.reports > 0 && hold->epoch == engine_epoch(engine)) return;
    hold->seen =
        sotto__learner_verdict(engine->learner, SOTTO__WATCH_ALPHA, hold->reports_expected);
    hold->epoch = engine_epoch(engine);
    hold->has_chances = hold->unsaid = true;
}

/* EPOCH_DONE: it may end. EPOCH_HELD: the store has made durable that it is held, if it stores that. */
static epoch_outcome judge(epoch_engine *engine, epoch_ending *ending, const epoch_store *store,
                           void *self)
{
    experiment_hold *hold = &engine->hold;
    const bool current = engine_is_held(engine), ends_fallback = current && hold->fallback_ends;
    if (current && hold->held) return hold->decision == JOURNAL_REPORTS ? EPOCH_HELD : EPOCH_DONE;
    if (!due_has_enough(&engine->rule, engine->learner)) return EPOCH_TOO_FEW;
    look(engine);
    if (hold->seen.alarms == 0 || !hold->quarantine || ends_fallback) return EPOCH_DONE;
    const journal_held held = {.experiment = engine->experiment,
                               .epoch = hold->epoch,
                               .alarms = hold->seen.alarms,
                               .reports = hold->seen.reports};
    const epoch_outcome kept = store->hold == NULL ? EPOCH_DONE : store->hold(self, &held);
    if (kept != EPOCH_DONE) return kept;
    ending->holds = hold->held = true;
    return EPOCH_HELD;
}

/* ---- the end: its row of history, what must be durable first, the learner's step, the log */

/* Its measure rounds are those of the batch that may be published now. */
static void write_history(epoch_engine *engine, epoch_ending *ending)
{
    const sotto_unpublished sum = sotto_learner_unpublished(engine->learner);
    const uint32_t harm = !ending->discards && sotto__learner_will_harm(engine->learner);
    const journal_counts *now = &engine->counts, *then = &engine->published;
    ending->history = (journal_history){
        .experiment = engine->experiment,
        .epoch = ending->epoch,
        .minute = ending->minute,
        .publishes = 1,
        .learn = ending->discards ? 0 : sum.learn,
        .late = now->late - then->late,
        .duplicate = now->duplicate - then->duplicate,
        .conflicting = now->conflicting - then->conflicting,
        .alarms = journal_alarms(ending->alarms, ending->age) | harm * JOURNAL_ALARM_HARM,
    };
    ending->has_batch =
        !ending->discards && published_prepare(&engine->results, engine->learner,
                                               engine->rule.reports_min, &ending->history);
}

static void prepare(epoch_engine *engine, epoch_ending *ending)
{
    const experiment_hold *hold = &engine->hold;
    ending->epoch = engine_epoch(engine) + 1;
    ending->decided = engine_decision(engine);
    ending->discards = ending->decided == JOURNAL_DISCARD;
    ending->alarms = hold->epoch == engine_epoch(engine) ? hold->seen.alarms : 0;
    /* it may have ended before */
    if (engine_is_held(engine) && hold->fallback_ends)
        (void)!sotto_learner_end_fallback(engine->learner);
    ending->before = engine->learner->harm;
    ending->age = ending->discards ? 0 : sotto_learner_age(engine->learner);
    ending->kind = ending->discards             ? JOURNAL_DISCARD
                   : engine->learner->harm.ends ? JOURNAL_END_FALLBACK
                                                : JOURNAL_PUBLISH;
    write_history(engine, ending);
}

static epoch_outcome step(epoch_engine *engine, epoch_ending *ending)
{
    if (ending->has_batch) published_done(&engine->results, engine->terms.spec.arms);
    ending->status = ending->discards ? sotto_learner_discard(engine->learner)
                                      : sotto_learner_publish(engine->learner);
    return ending->status == SOTTO_OK ? EPOCH_DONE : EPOCH_BROKEN;
}

epoch_outcome engine_end(epoch_engine *engine, epoch_ending *ending, const epoch_store *store,
                         void *self)
{
    SOTTO__DEFAULT_FLOATS;
    ending->status = SOTTO_OK;
    if (engine_epoch(engine) == UINT32_MAX) return store->close(self, "no_epoch_left");
    epoch_outcome outcome = judge(engine, ending, store, self);
    if (outcome != EPOCH_DONE) return outcome;
    prepare(engine, ending);
    if (store->keeps_models) outcome = step(engine, ending);
    if (outcome == EPOCH_DONE) outcome = store->publish(self, ending);
    if (outcome == EPOCH_DONE && !store->keeps_models) outcome = step(engine, ending);
    if (outcome != EPOCH_DONE) return outcome;
    ending->status = sotto_nonce_set_advance(engine->nonces, ending->epoch);
    engine->published = engine->counts;
    end_hold(&engine->hold);
    return ending->status == SOTTO_OK ? EPOCH_DONE : EPOCH_BROKEN;
}

/* ---- what happened */

#define TESTS_BYTES 64u

/* The names of the tests with an alarm, separated by commas. */
static void print_alarms(uint32_t alarms, char text[TESTS_BYTES])
{
    text[0] = '\0';
    for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
        if ((alarms >> t & 1) == 0) continue;
        if (text[0] != '\0') strcat(text, ",");
        strcat(text, sotto__watch_name((sotto__watch_test)t));
    }
}

void epoch_log(sottod_log *log, log_level level, const char *event, const char *id_text,
               uint32_t epoch, const char *name, const char *text)
{
    const log_value values[] = {
        {.name = "experiment", .text = id_text},
        {.name = "epoch", .number = epoch},
        {.name = name, .text = text},
        {.name = NULL},
    };
    log_write(log, level, event, values);
}

static void say_alarms(sottod_log *log, const char *event, const char *id_text, uint32_t epoch,
                       uint32_t alarms)
{
    char tests[TESTS_BYTES];
    print_alarms(alarms, tests);
    epoch_log(log, LOG_WARNING, event, id_text, epoch, "tests", tests);
}

/* Logs it once, when reports become old. */
static void say_age(const epoch_ending *ending, sottod_log *log, const char *id_text, double before)
{
    char text[32];
    if (!(ending->age > ENDING_AGE_MAX) || before > ENDING_AGE_MAX) return;
    snprintf(text, sizeof text, "%.1f", ending->age);
    epoch_log(log, LOG_WARNING, "reports_are_old", id_text, ending->epoch - 1, "age_epochs", text);
}

static void say_look(epoch_engine *engine, watch_totals *totals, sottod_log *log,
                     const char *id_text)
{
    experiment_hold *hold = &engine->hold;
    if (hold->unsaid && hold->seen.alarms > 0) {
        totals_count(totals, engine->experiment, hold->seen.alarms);
        say_alarms(log, "alarm", id_text, hold->epoch, hold->seen.alarms);
    }
    hold->unsaid = false;
}

/* Each change that a publish brought: harm was found, the fallback is served, it has ended. `epoch` opened. */
static void say_fallback(sottod_log *log, const char *id_text, uint32_t epoch,
                         const sotto__harm *before, const sotto__harm *after)
{
    if (after->restarts > before->restarts)
        epoch_log(log, LOG_INFO, "fallback_ended", id_text, epoch, NULL, NULL);
    else if (after->epoch > before->epoch)
        epoch_log(log, LOG_WARNING, "harm", id_text, epoch, NULL, NULL);
    if (after->served_epoch > before->served_epoch)
        epoch_log(log, LOG_WARNING, "fallback_served", id_text, epoch, NULL, NULL);
}

static void say_end(const epoch_engine *engine, const epoch_ending *ending, watch_totals *totals,
                    sottod_log *log, const char *id_text)
{
    const char *event = ending->discards ? "opened_after_discard" : "published";
    say_age(ending, log, id_text, totals_look(totals, engine->experiment).age);
    if (!ending->discards) totals_note_age(totals, engine->experiment, ending->age);
    epoch_log(log, LOG_INFO, event, id_text, ending->epoch, NULL, NULL);
    say_fallback(log, id_text, ending->epoch, &ending->before, &engine->learner->harm);
}

void engine_say(epoch_engine *engine, const epoch_ending *ending, epoch_outcome outcome,
                watch_totals *totals, sottod_log *log, const char *id_text)
{
    if (outcome != EPOCH_DONE && outcome != EPOCH_HELD) return;
    say_look(engine, totals, log, id_text);
    if (ending->holds)
        say_alarms(log, "held", id_text, engine->hold.epoch, engine->hold.seen.alarms);
    if (outcome == EPOCH_DONE) say_end(engine, ending, totals, log, id_text);
}
