#include "core/core.h"
#include "inner.h"
#include "server/server.h"
#include "service/store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLD_BYTES ((size_t)4 << 20) /* gathered, then folded together */

/* ---- outcomes of a step */

epoch_outcome publisher_known_break(publisher_known *known, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    known->fault = (sotto_fault){.field = ""};
    vsnprintf(known->fault.sentence, sizeof known->fault.sentence, format, arguments);
    va_end(arguments);
    return EPOCH_BROKEN;
}

epoch_outcome publisher_known_failed(publisher_known *known, const sottod_folding *folding)
{
    if (!folding_holds(folding)) return EPOCH_AWAY;
    return publisher_known_break(known, "%s", folding_fault(folding)->sentence);
}

bool publisher_cut_copy(const folding_cut *from, folding_cut *to)
{
    if (from->places > to->capacity) {
        folding_place *place = realloc(to->place, from->places * sizeof *place);
        if (place == NULL) return false;
        to->place = place;
        to->capacity = from->places;
    }
    if (from->places > 0) memcpy(to->place, from->place, from->places * sizeof *to->place);
    to->places = from->places;
    return true;
}

static epoch_outcome no_memory(publisher_known *known)
{
    return publisher_known_break(known, "experiment %u: no memory", known->number);
}

/* ---- sorted */

void publisher_sorter_free(publisher_sorter *sorter)
{
    free(sorter->added);
    free(sorter->frames);
    *sorter = (publisher_sorter){.known = NULL};
}

/* From the end, where a set finds nonces first. */
void publisher_sorter_forget(publisher_sorter *sorter)
{
    while (sorter->added_count > 0) {
        const publisher_nonce *last = &sorter->added[--sorter->added_count];
        sotto_report head = {.epoch = last->epoch};
        memcpy(head.nonce, last->nonce, sizeof head.nonce);
        sotto_nonce_set_remove(sorter->known->engine->nonces, &head);
    }
    sorter->frames_bytes = 0;
    sorter->known->engine->counts = sorter->known->engine->published;
    sorter->goes_on = sorter->contested = false;
}

void publisher_sorter_rest(publisher_sorter *sorter)
{
    assert(sorter->frames_bytes == 0);
    free(sorter->frames);
    sorter->frames = NULL;
    sorter->frames_capacity = 0;
    sorter->goes_on = true;
}

/* Room for all frames of a row, if they are new. */
static bool reserve(publisher_sorter *sorter, const journal_row *row)
{
    uint64_t more = row->frames.bytes / sorter->known->engine->frame_bytes;
    if (!engine_reserve(sorter->known->engine, more, SOTTO_NONCES_MAX)) return false;
    if (sorter->added_count + more > sorter->added_capacity) {
        uint64_t capacity = 2 * (sorter->added_count + more);
        if (capacity > UINT32_MAX) return false;
        publisher_nonce *added = realloc(sorter->added, capacity * sizeof *added);
        if (added == NULL) return false;
        sorter->added = added;
        sorter->added_capacity = (uint32_t)capacity;
    }
    if (sorter->frames_bytes + row->frames.bytes > sorter->frames_capacity) {
        size_t capacity = 2 * (sorter->frames_bytes + row->frames.bytes);
        uint8_t *frames = realloc(sorter->frames, capacity);
        if (frames == NULL) return false;
        sorter->frames = frames;
        sorter->frames_capacity = capacity;
    }
    return true;
}

static void add_new(publisher_sorter *sorter, const uint8_t *frame)
{
    const size_t bytes = sorter->known->engine->frame_bytes;
    const sotto_report head = frame_head(frame);
    publisher_nonce *added = &sorter->added[sorter->added_count++];
    added->epoch = head.epoch;
    memcpy(added->nonce, head.nonce, sizeof added->nonce);
    memcpy(sorter->frames + sorter->frames_bytes, frame, bytes);
    sorter->frames_bytes += bytes;
}

/* False: its epoch has not begun, or there is no room for its nonce. */
static bool take_frame(publisher_sorter *sorter, const uint8_t *frame)
{
    epoch_engine *engine = sorter->known->engine;
    const uint64_t conflicting = engine->counts.conflicting;
    bool is_new;
    if (engine_sort(engine, frame, &engine->counts, &is_new) != SOTTO_OK) return false;
    if (is_new) add_new(sorter, frame);
    sorter->contested |= sorter->goes_on && engine->counts.conflicting > conflicting;
    return true;
}

epoch_outcome publisher_sorter_take(publisher_sorter *sorter, const journal_row *row)
{
    publisher_known *known = sorter->known;
    epoch_engine *engine = known->engine;
    if (row->frames.bytes % engine->frame_bytes != 0)
        return publisher_known_break(
            known, "experiment %u, row %" PRIu64 ": %zu bytes are not a whole number of frames",
            known->number, row->seq, row->frames.bytes);
    if (!reserve(sorter, row)) return no_memory(known);
    counts_add(&engine->counts, &(journal_counts){0, row->late, row->duplicate, row->conflicting});
    for (size_t at = 0; at < row->frames.bytes; at += engine->frame_bytes) {
        if (take_frame(sorter, row->frames.at + at)) continue;
        return publisher_known_break(
            known,
            "experiment %u, row %" PRIu64 ": frame %zu is of an epoch that has not begun, or there "
            "are more than %u nonces",
            known->number, row->seq, at / engine->frame_bytes, SOTTO_NONCES_MAX);
    }
    return EPOCH_DONE;
}

/* ---- folded */

/* Rows count in the order of gateways and then of numbers (docs/formats.md, section 9). A continued attempt takes
 * rows after those of the previous attempt, which is a different order. The result is the same unless different
 * frames share a nonce: then everything is folded again, but only once the epoch can end. How many nonces there are
 * does not depend on the order. */
struct publisher_kept {
    publisher_sorter sorter;
    folding_cut cut; /* rows up to here are folded */
    uint64_t looked; /* frames in these rows */
    sottod_fold *fold;
    /* The model's learner; the engine folds into a copy of it. NULL: the epoch has ended. */
    sotto_learner *before;
    epoch_outcome outcome;
};
typedef struct publisher_kept attempt;

/* A learner with the same bytes, with the watch; NULL: no memory. */
static sotto_learner *copy_of(const epoch_engine *engine)
{
    sotto_learner *copy = NULL;
    size_t bytes = sotto_learner_bytes(engine->learner);
    uint8_t *encoded = malloc(bytes);
    if (encoded == NULL) return NULL;
    if (sotto_learner_encode(engine->learner, encoded, bytes) != SOTTO_OK ||
        sotto_learner_decode(&engine->terms, encoded, bytes, &copy) != SOTTO_OK)
        copy = NULL;
    free(encoded);
    if (copy != NULL && sotto__learner_watch(copy) != SOTTO_OK) {
        sotto_learner_free(copy);
        copy = NULL;
    }
    return copy;
}

/* NULL: no memory. */
static attempt *begin(publisher_known *known)
{
    attempt *self = calloc(1, sizeof *self);
    sotto_learner *copy = copy_of(known->engine);
    if (self == NULL || copy == NULL || !publisher_cut_copy(&known->cut, &self->cut)) {
        sotto_learner_free(copy);
        free(self);
        return NULL;
    }
    self->sorter.known = known;
    self->before = known->engine->learner;
    known->engine->learner = copy;
    return self;
}

/* Unless the epoch has ended, restores the engine. */
void publisher_kept_free(publisher_kept *kept)
{
    if (kept == NULL) return;
    epoch_engine *engine = kept->sorter.known->engine;
    if (kept->before != NULL) {
        sotto_learner_free(engine->learner);
        engine->learner = kept->before;
        engine->counts = engine->published;
    }
    publisher_sorter_free(&kept->sorter);
    folding_cut_free(&kept->cut);
    free(kept);
}

const folding_cut *publisher_attempt_cut(const publisher_known *known)
{
    return known->kept == NULL ? &known->cut : &known->kept->cut;
}

uint64_t publisher_attempt_looked(const publisher_known *known)
{
    return known->kept == NULL ? 0 : known->kept->looked;
}

uint64_t publisher_attempt_distinct(const publisher_known *known)
{
    return known->engine->counts.folded - known->engine->published.folded;
}

/* Folds the gathered frames. */
static epoch_outcome fold_gathered(attempt *self)
{
    publisher_sorter *sorter = &self->sorter;
    publisher_known *known = sorter->known;
    if (sorter->frames_bytes == 0) return EPOCH_DONE;
    bool folded =
        fold_frames(self->fold, known->engine->learner, sorter->frames, sorter->frames_bytes);
    sorter->frames_bytes = 0;
    if (folded) return EPOCH_DONE;
    return publisher_known_break(known, "experiment %u: the learner refuses a frame",
                                 known->number);
}

static bool take_row(void *context, const journal_row *row)
{
    attempt *self = context;
    self->outcome = publisher_sorter_take(&self->sorter, row);
    self->looked += row->frames.bytes / self->sorter.known->engine->frame_bytes;
    if (self->outcome == EPOCH_DONE && self->sorter.frames_bytes >= FOLD_BYTES)
        self->outcome = fold_gathered(self);
    return self->outcome == EPOCH_DONE;
}

/* Folds the rows after those already folded, up to `to`. */
static epoch_outcome fold_rows(attempt *self, sottod_folding *folding, const folding_cut *to)
{
    publisher_known *known = self->sorter.known;
    self->outcome = EPOCH_DONE;
    if (!folding_read_rows(folding, known->number, &self->cut, to, take_row, self) &&
        self->outcome == EPOCH_DONE)
        return publisher_known_failed(known, folding);
    return self->outcome == EPOCH_DONE ? fold_gathered(self) : self->outcome;
}

/* Folds all rows since the model, in their order. Replaces *self; NULL: no memory. */
static epoch_outcome fold_anew(attempt **self, sottod_folding *folding, const folding_cut *to)
{
    publisher_known *known = (*self)->sorter.known;
    sottod_fold *fold = (*self)->fold;
    publisher_sorter_forget(&(*self)->sorter);
    publisher_kept_free(*self);
    *self = begin(known);
    if (*self == NULL) return no_memory(known);
    (*self)->fold = fold;
    return fold_rows(*self, folding, to);
}

/* In another order the learner may be another one, and the epoch may not end yet. */
static bool can_end(const epoch_engine *engine)
{
    return engine_decision(engine) != JOURNAL_REPORTS ||
           due_has_enough(&engine->rule, engine->learner);
}

/* ---- what the end of an epoch needs */

typedef struct insertion {
    publisher_known *known;
    sottod_folding *folding;
    const folding_cut *to;
} insertion;

static epoch_outcome end(void *context, const char *why)
{
    const insertion *self = context;
    (void)why;
    bool closed = folding_set_state(self->folding, self->known->number, JOURNAL_CLOSED);
    return closed ? EPOCH_CLOSED : publisher_known_failed(self->known, self->folding);
}

/* The outcome of a call that changes the database. */
static epoch_outcome outcome_of(const insertion *self, bool done, bool fenced)
{
    if (!done) return publisher_known_failed(self->known, self->folding);
    return fenced ? EPOCH_FENCED : EPOCH_DONE;
}

static epoch_outcome hold(void *context, const journal_held *held)
{
    const insertion *self = context;
    bool fenced = false, done = folding_hold(self->folding, held, &fenced);
    return outcome_of(self, done, fenced);
}

static epoch_outcome insert(void *context, const epoch_ending *ending)
{
    const insertion *self = context;
    publisher_known *known = self->known;
    const epoch_engine *engine = known->engine;
    const size_t learner_bytes = sotto_learner_bytes(engine->learner);
    const size_t results_bytes = published_bytes(&engine->terms);
    uint8_t *bytes = malloc(learner_bytes + results_bytes);
    const folding_model model = {
        .experiment = known->number,
        .epoch = ending->epoch,
        .kind = ending->kind,
        .decided = ending->decided,
        .minute = ending->minute,
        .counts = engine->counts,
        .learner = {bytes, learner_bytes},
        .results = {bytes + learner_bytes, results_bytes},
        .cut = *self->to,
    };
    bool fenced = false;
    if (bytes == NULL) return no_memory(known);
    if (sotto_learner_encode(engine->learner, bytes, learner_bytes) != SOTTO_OK) {
        free(bytes);
        return end(context, "model_not_finite");
    }
    published_encode(&engine->results, &engine->terms, bytes + learner_bytes);
    bool done = folding_publish(self->folding, &model, &ending->history, false, &fenced);
    free(bytes);
    return outcome_of(self, done, fenced);
}

static const epoch_store models_store = {
    .keeps_models = true, .publish = insert, .hold = hold, .close = end};

/* Ends the epoch if there are enough reports. */
static epoch_outcome publish(attempt *self, sottod_folding *folding, const folding_cut *to,
                             uint64_t minute)
{
    publisher_known *known = self->sorter.known;
    insertion inserted = {known, folding, to};
    const uint32_t epoch = engine_epoch(known->engine);
    known->ending = (epoch_ending){.minute = minute};
    const epoch_outcome outcome =
        engine_end(known->engine, &known->ending, &models_store, &inserted);
    if (known->ending.status != SOTTO_OK)
        return publisher_known_break(known,
                                     "experiment %u: epoch %" PRIu32 " cannot be published: %s",
                                     known->number, epoch, sotto_status_text(known->ending.status));
    if (outcome != EPOCH_DONE) return outcome;
    sotto_learner_free(self->before);
    self->before = NULL;
    return publisher_cut_copy(to, &known->cut) ? EPOCH_DONE : no_memory(known);
}

/* False: no memory. */
static bool keep(publisher_known *known, attempt *self, const folding_cut *to)
{
    if (!publisher_cut_copy(to, &self->cut)) return false;
    publisher_sorter_rest(&self->sorter);
    known->kept = self;
    return true;
}

epoch_outcome publisher_attempt(publisher_known *known, sottod_folding *folding, sottod_fold *fold,
                                const folding_cut *to, uint64_t minute)
{
    SOTTO__DEFAULT_FLOATS;
    if (engine_epoch(known->engine) == UINT32_MAX) /* it folds nothing then, either */
        return end(&(insertion){known, folding, to}, "no_epoch_left");
    attempt *self = known->kept == NULL ? begin(known) : known->kept;
    known->kept = NULL;
    if (self == NULL) return no_memory(known);
    self->fold = fold;
    epoch_outcome outcome = fold_rows(self, folding, to);
    if (outcome == EPOCH_DONE && self->sorter.contested && can_end(known->engine))
        outcome = fold_anew(&self, folding, to);
    if (outcome == EPOCH_DONE) outcome = publish(self, folding, to, minute);
    if ((outcome == EPOCH_TOO_FEW || outcome == EPOCH_HELD) && keep(known, self, to))
        return outcome;
    publisher_kept_free(self);
    if (outcome == EPOCH_TOO_FEW || outcome == EPOCH_HELD) return no_memory(known);
    return outcome;
}

/* ---- closed */

static epoch_outcome insert_last(attempt *self, sottod_folding *folding, const folding_cut *to)
{
    publisher_known *known = self->sorter.known;
    size_t bytes = sotto_learner_bytes(known->engine->learner);
    uint8_t *learner = malloc(bytes);
    bool fenced = false;
    const folding_model ended = {
        .experiment = known->number,
        .epoch = engine_epoch(known->engine),
        .counts = known->engine->counts,
        .learner = {learner, bytes},
        .cut = *to,
    };
    bool encoded =
        learner != NULL && sotto_learner_encode(known->engine->learner, learner, bytes) == SOTTO_OK;
    bool done = encoded && folding_end(folding, &ended, &fenced);
    free(learner);
    if (!encoded)
        return publisher_known_break(
            known, "experiment %u: not enough memory, or its learner cannot be encoded",
            known->number);
    if (!done) return publisher_known_failed(known, folding);
    return fenced ? EPOCH_FENCED : EPOCH_DONE;
}

epoch_outcome publisher_attempt_last(publisher_known *known, sottod_folding *folding,
                                     sottod_fold *fold, const folding_cut *to)
{
    attempt *self = begin(known);
    if (self == NULL) return no_memory(known);
    self->fold = fold;
    epoch_outcome outcome = fold_rows(self, folding, to);
    if (outcome == EPOCH_DONE) outcome = insert_last(self, folding, to);
    publisher_kept_free(self);
    return outcome;
}
