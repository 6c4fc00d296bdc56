/*
 * One of several services that share a journal: experiments, states and models are read again when another
 * process changed something. A model whose epoch is not newer is ignored, so that epochs never go back,
 * whatever is read. What cannot be used is said in the log and tried again, and what was known before stays; if nothing
 * was, the experiment is not used here. The others go on.
 */
#include "parts.h"
#include "service/system/clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READINGS_MAX 20u /* in a second */
#define SECOND_MS 1000u
#define RETRY_MS 1000u    /* without a connection, which nothing wakes */
#define LATEST_MS 60000u  /* also if nothing woke us */
#define DAMAGED_MS 10000u /* between two readings of what is damaged */

/* ---- a model */

typedef struct reading {
    sottod_experiment *experiment;
    char *fault;
} reading;

__attribute__((format(printf, 2, 3))) static bool refuse(const reading *self, const char *format,
                                                         ...)
{
    int length = snprintf(self->fault, JOURNAL_FAULT_BYTES,
                          "experiment %u, its model: ", self->experiment->number);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(self->fault + length, JOURNAL_FAULT_BYTES - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* The experiment goes on with this learner, which it owns from now on. */
static void adopt(sottod_experiment *experiment, const journal_snapshot *snapshot,
                  sotto_learner *learner, experiment_told *told, const uint8_t *model)
{
    sotto_learner_free(experiment->learner);
    told_free(&experiment->life->told);
    experiment->learner = learner;
    experiment->life->told = *told;
    memcpy(experiment->model, model, experiment->model_bytes);
    experiment->life->counts = experiment->life->published = snapshot->counts;
    experiment->waiting = 0;
}

static bool is_usable(const reading *self, const journal_snapshot *snapshot,
                      const sotto_learner *learner, experiment_told *told, uint8_t *model)
{
    const sottod_experiment *experiment = self->experiment;
    const sotto_terms *terms = experiment->terms;
    if (sotto_learner_model(learner)->epoch != snapshot->seq)
        return refuse(self, "it is of epoch %" PRIu32 ", and should be of %" PRIu64,
                      sotto_learner_model(learner)->epoch, snapshot->seq);
    if (model == NULL || !told_make(told, learner, terms)) return refuse(self, "out of memory");
    if (!told_decode(told, terms, snapshot->told.at, snapshot->told.bytes))
        return refuse(self, "what is told of measure rounds cannot be used");
    if (sotto_model_encode(terms, sotto_learner_model(learner), model, experiment->model_bytes) !=
        SOTTO_OK)
        return refuse(self, "it has numbers that no device would take");
    return true;
}

/* A closed one has what it took last, which was not published: model and what is told stay. */
static bool take_end(const reading *self, const journal_snapshot *snapshot)
{
    sottod_experiment *experiment = self->experiment;
    const journal_bytes *bytes = &snapshot->learner;
    sotto_learner *learner = NULL;
    if (experiment->ended || snapshot->seq != experiment_epoch(experiment)) return true;
    if (sotto_learner_decode(experiment->terms, bytes->at, bytes->bytes, &learner) != SOTTO_OK ||
        sotto_learner_model(learner)->epoch != snapshot->seq) {
        sotto_learner_free(learner);
        return refuse(self, "what it took last cannot be used");
    }
    sotto_learner_free(experiment->learner);
    experiment->learner = learner;
    experiment->life->counts = snapshot->counts;
    experiment->waiting = 0;
    experiment->ended = true;
    return true;
}

static bool take_model(void *context, const journal_snapshot *snapshot)
{
    const reading *self = context;
    sottod_experiment *experiment = self->experiment;
    if (snapshot->ended) return take_end(self, snapshot);
    const journal_bytes *bytes = &snapshot->learner;
    char text[SOTTO_FAULT_BYTES];
    experiment_told told = {.hides_recent = false};
    sotto_learner *learner = NULL;
    if (snapshot->seq <= experiment_epoch(experiment)) return true;
    if (sotto_learner_decode(experiment->terms, bytes->at, bytes->bytes, &learner) != SOTTO_OK)
        return refuse(self, "%s",
                      sotto_learner_bytes_fault(experiment->terms, bytes->at, bytes->bytes, text));
    uint8_t *model = malloc(experiment->model_bytes);
    bool usable = is_usable(self, snapshot, learner, &told, model);
    if (usable) {
        adopt(experiment, snapshot, learner, &told, model);
    } else {
        told_free(&told);
        sotto_learner_free(learner);
    }
    free(model);
    return usable;
}

/* False: `fault` says why; without a connection nothing else can be read, either. */
static bool read_model(sottod_journal *journal, sottod_experiment *experiment, char *fault)
{
    bool found;
    reading self = {experiment, fault};
    fault[0] = '\0';
    if (journal_read_snapshot(journal, experiment->number, take_model, &self, &found)) {
        experiment->blind = false;
        return true;
    }
    if (fault[0] == '\0') snprintf(fault, JOURNAL_FAULT_BYTES, "%s", journal_fault(journal));
    return false;
}

static bool recover(sottod_journal *journal, sottod_experiment *experiment,
                    char fault[JOURNAL_FAULT_BYTES])
{
    if (!experiment_encode_model(experiment)) {
        snprintf(fault, JOURNAL_FAULT_BYTES,
                 "experiment %u: its first model has numbers that no device would take",
                 experiment->number);
        return false;
    }
    experiment->blind = true;
    return read_model(journal, experiment, fault) || journal_fd(journal) >= 0;
}

/* ---- all */

static void say(const sottod_experiments *all, const char *event, const char *why)
{
    const log_value values[] = {{.name = "why", .text = why}, {.name = NULL}};
    log_write(all->log, LOG_ERROR, event, values);
}

typedef struct refreshing {
    sottod_experiments *all;
    uint64_t now_ms;
    bool
        unknown; /* there is one that is not known here, or is not as it was; or it is time to look */
} refreshing;

/* Numbers begin at 1 and have no hole: mostly it lies in its place. */
static sottod_experiment *find_number(const sottod_experiments *all, uint32_t number)
{
    if (number <= all->every_count && all->every[number - 1]->number == number)
        return all->every[number - 1];
    for (uint32_t i = 0; i < all->every_count; i++) {
        if (all->every[i]->number == number) return all->every[i];
    }
    return NULL;
}

/* News are not checked: what they say of a row is believed when the row was read, with its digest. */
static bool take_news(void *context, const journal_news *news)
{
    refreshing *self = context;
    sottod_experiments *all = self->all;
    sottod_experiment *known = find_number(all, news->experiment);
    bool damaged = damaged_has_number(&all->damaged, news->experiment) &&
                   self->now_ms - all->all_read_ms < DAMAGED_MS;
    bool is_so =
        known != NULL &&
        (known->state == JOURNAL_DELETED ||
         (known->state == news->state && known->life->hold.quarantine == news->quarantine));
    if (!is_so && !damaged) self->unknown = true;
    if (known == NULL || known->state == JOURNAL_DELETED) return true;
    known->newest = news->epoch;
    known->will_end = news->ended;
    hold_hear(&known->life->hold, &news->held);
    return true;
}

static void take_over(sottod_experiments *all, sottod_experiment *known,
                      const journal_experiment *row)
{
    if (known->state == JOURNAL_DELETED) return;
    known->life->hold.quarantine = row->quarantine;
    if (known->state != row->state) experiment_become(all, known, row->state);
}

static bool take_experiment(void *context, const journal_experiment *row)
{
    const refreshing *self = context;
    char fault[JOURNAL_FAULT_BYTES];
    if (row->damaged) {
        damaged_note(&self->all->damaged, row, self->all->log);
        return true;
    }
    sottod_experiment *known = experiments_find(self->all, row->id);
    if (known != NULL) {
        take_over(self->all, known, row);
        return true;
    }
    if (!experiments_take(self->all, row, self->now_ms, fault)) {
        say(self->all, "experiment_cannot_be_used", fault);
        return true;
    }
    sottod_experiment *added = experiments_find(self->all, row->id);
    added->newest = UINT32_MAX; /* not known yet */
    added->blind = true;
    if (added->model != NULL) experiment_encode_model(added);
    return true;
}

static bool read_experiments(refreshing *self)
{
    sottod_experiments *all = self->all;
    damaged_begin(&all->damaged);
    if (!journal_read_experiments(all->journal, take_experiment, self)) return false;
    damaged_end(&all->damaged, all->log);
    all->all_read_ms = self->now_ms;
    return true;
}

/* What could not be used is read again, but not at once. */
static bool is_to_be_read(const sottod_experiment *experiment, uint64_t now_ms)
{
    bool has_more = experiment->blind || experiment->newest > experiment_epoch(experiment) ||
                    experiment->will_end != experiment->ended;
    if (experiment->model == NULL || !has_more) return false;
    return !experiment->unusable || experiment->unusable_epoch != experiment->newest ||
           now_ms - experiment->unusable_ms >= DAMAGED_MS;
}

static void note_unusable(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                          const char *fault)
{
    if (!experiment->unusable || experiment->unusable_epoch != experiment->newest)
        say(all, "model_cannot_be_used", fault);
    experiment->unusable = true;
    experiment->unusable_epoch = experiment->newest;
    experiment->unusable_ms = now_ms;
}

static bool read_newer_models(sottod_experiments *all, uint64_t now_ms)
{
    char fault[JOURNAL_FAULT_BYTES];
    all->has_unusable = false;
    for (uint32_t i = 0; i < all->live_count; i++) {
        sottod_experiment *experiment = all->live[i];
        if (is_to_be_read(experiment, now_ms)) {
            bool reads_end = experiment->will_end;
            bool read = read_model(all->journal, experiment, fault);
            if (!read && journal_fd(all->journal) < 0) return false;
            if (read) experiment->ended = reads_end;
            if (read) experiment->unusable = false;
            if (!read) note_unusable(all, experiment, now_ms, fault);
        }
        all->has_unusable = all->has_unusable || experiment->unusable;
    }
    return true;
}

static void count_reading(sottod_experiments *all, uint64_t now_ms)
{
    if (now_ms - all->second_ms >= SECOND_MS) {
        all->second_ms = now_ms;
        all->readings = 0;
    }
    all->readings++;
    all->refreshed_ms = now_ms;
}

static bool refresh(sottod_experiments *all, uint64_t now_ms)
{
    refreshing self = {
        .all = all, .now_ms = now_ms, .unknown = now_ms - all->all_read_ms >= LATEST_MS};
    count_reading(all, now_ms);
    bool read = journal_read_news(all->journal, take_news, &self) &&
                (!self.unknown || read_experiments(&self)) && read_newer_models(all, now_ms);
    all->failed = all->stale = !read;
    return read;
}

static bool turn(sottod_experiments *all, uint64_t now_ms, uint64_t minute, bool drained)
{
    (void)minute, (void)drained;
    epochs_notice(all);
    all->touched_count = 0;
    bool read = refresh(all, now_ms);
    epochs_notice(all); /* what came while it was read would wake nobody */
    return read;
}

static int timeout_ms(const sottod_experiments *all, uint64_t now_ms)
{
    bool damaged = all->damaged.count > 0 || all->has_unusable;
    uint64_t next_ms = all->refreshed_ms + (damaged ? DAMAGED_MS : LATEST_MS);
    if (journal_fd(all->journal) < 0) next_ms = all->refreshed_ms + RETRY_MS;
    if (all->stale) next_ms = all->readings < READINGS_MAX ? now_ms : all->second_ms + SECOND_MS;
    if (all->failed) next_ms = all->refreshed_ms + RETRY_MS;
    return next_ms <= now_ms ? 0 : (int)(next_ms - now_ms); /* at most LATEST_MS */
}

static bool keep(sottod_experiments *all)
{
    (void)all;
    return true; /* what is durable is all there is */
}

static bool catch_up(sottod_experiments *all)
{
    uint64_t now_ms = clock_steady_ms();
    bool too_often = all->readings >= READINGS_MAX && now_ms - all->second_ms < SECOND_MS;
    if (all->failed || too_often) return false;
    return refresh(all, now_ms) &&
           !all->has_unusable; /* else an epoch may have begun, unknown here */
}

const experiments_mode experiments_shared = {
    .has_nonces = false,
    .recover = recover,
    .turn = turn,
    .timeout_ms = timeout_ms,
    .keep = keep,
    .catch_up = catch_up,
};
